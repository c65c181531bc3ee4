package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

const journalName = "journal.jsonl"

// appender is a file that grows, with the bytes that wait to be written. A
// write that fails, fully or in part, can be tried again: no byte is lost or
// written twice.
type appender struct {
	file    File
	size    int64 // of the file, if nobody else writes to it
	pending []byte
	broken  error // a failed sync: what is on the disk is unknown
}

func (a *appender) flush() error {
	for len(a.pending) > 0 {
		n, err := a.file.Write(a.pending)
		a.size += int64(n)
		a.pending = a.pending[:copy(a.pending, a.pending[n:])]
		if err != nil {
			return err
		}
	}
	return nil
}

// sync makes everything so far durable. After a failed sync the file is not to
// be trusted before it is opened again, so the error stays.
func (a *appender) sync() error {
	if a.broken != nil {
		return a.broken
	}
	if err := a.flush(); err != nil {
		return err
	}
	a.broken = a.file.Sync()
	return a.broken
}

// journal is the writing side of journal.jsonl.
type journal struct {
	appender
	position
	keys []string
}

func newJournal() *journal { return &journal{position: newPosition()} }

func (j *journal) sync() error {
	if err := j.appender.sync(); err != nil {
		return fmt.Errorf("writing the journal: %w", err)
	}
	return nil
}

type position struct {
	rows   int64
	digest hash.Hash // over all rows without wall_s, as JournalDigest
}

func newPosition() position { return position{digest: sha256.New()} }

// mark is a position in a journal that does not depend on the clock.
type mark struct {
	Rows   int64  `json:"journal_rows"`
	Digest string `json:"journal_sha256"`
}

// rowEnd stands for the end of a row in digests.
var rowEnd = []byte("}\n")

// count adds a row, given without wall clock and end.
func (p *position) count(row []byte) {
	p.rows++
	p.digest.Write(row)
	p.digest.Write(rowEnd)
}

func (p *position) mark() mark { return mark{p.rows, hex.EncodeToString(p.digest.Sum(nil))} }

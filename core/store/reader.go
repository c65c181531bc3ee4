package store

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"

	"macpro/core/record"
)

// LineError names a line of a journal that was skipped.
type LineError struct {
	Line int
	Err  error
}

// Error implements error.
func (e *LineError) Error() string {
	return fmt.Sprintf("journal line %d is damaged and was skipped: %v", e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// ReadJournal yields the rows of a journal in order. A last line without its
// line end was cut by a crash and is left out. Any other line that is no row is
// yielded as a *LineError, and reading goes on; another error ends it.
func ReadJournal(r io.Reader) iter.Seq2[record.Row, error] {
	return func(yield func(record.Row, error) bool) {
		lines := newLineReader(r)
		for {
			line, err := lines.next()
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(record.Row{}, err)
				return
			}
			row, err := lines.parse(line)
			row.Line = lines.count
			if !yield(row, err) {
				return
			}
		}
	}
}

// JournalDigest is the SHA-256 (hex) over the lines of a journal without their
// wall clock. A run that was cut and resumed has the digest of one that was not.
func JournalDigest(r io.Reader) (string, error) {
	lines := newLineReader(r)
	h := sha256.New()
	for {
		line, err := lines.next()
		if err == io.EOF {
			return hex.EncodeToString(h.Sum(nil)), nil
		}
		if err != nil {
			return "", err
		}
		h.Write(withoutWall(line))
		h.Write(rowEnd)
	}
}

// rowEnd stands for the end of a row in digests.
var rowEnd = []byte("}\n")

// lineReader cuts a stream into complete lines.
type lineReader struct {
	r     *bufio.Reader
	count int   // lines so far
	bytes int64 // bytes in these lines
	buf   []byte
	long  bool // the last line was longer than a row may be
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10)}
}

var errLong = errors.New("longer than any row")

// next returns the next line without its end, valid until the next call. A line
// without an end is io.EOF. Of an overlong line only the start is kept.
func (l *lineReader) next() ([]byte, error) {
	l.buf, l.long = l.buf[:0], false
	n := int64(0)
	for {
		part, err := l.r.ReadSlice('\n')
		n += int64(len(part))
		if l.long = l.long || len(l.buf)+len(part) > maxRow+64; !l.long {
			l.buf = append(l.buf, part...)
		}
		if err == nil {
			break
		}
		if err != bufio.ErrBufferFull {
			return nil, err
		}
	}
	l.count++
	l.bytes += n
	return bytes.TrimSuffix(l.buf, []byte("\n")), nil
}

func (l *lineReader) parse(line []byte) (record.Row, error) {
	if l.long {
		return record.Row{}, &LineError{l.count, errLong}
	}
	row, err := parseRow(line)
	if err != nil {
		return record.Row{}, &LineError{l.count, err}
	}
	return row, nil
}

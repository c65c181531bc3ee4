package store

import (
	"bufio"
	"bytes"
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
		for line, err := range lines.all() {
			if err != nil {
				yield(record.Row{}, err)
			} else if !yield(lines.parse(line)) {
				return
			}
		}
	}
}

// JournalDigest is the SHA-256 (hex) over the lines of a journal without their
// wall clock. A run that was cut and resumed has the digest of one that was not.
func JournalDigest(r io.Reader) (string, error) {
	p := newPosition()
	for line, err := range newLineReader(r).all() {
		if err != nil {
			return "", err
		}
		p.count(withoutWall(line))
	}
	return p.mark().Digest, nil
}

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

// all yields every line, see next. An error comes last.
func (l *lineReader) all() iter.Seq2[[]byte, error] { return l.first(-1) }

// first yields the first n lines. An earlier end is io.EOF.
func (l *lineReader) first(n int64) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for ; n != 0; n-- {
			line, err := l.next()
			if err == io.EOF && n < 0 || !yield(line, err) || err != nil {
				return
			}
		}
	}
}

func (l *lineReader) parse(line []byte) (row record.Row, err error) {
	if err = errLong; !l.long {
		row, err = parseRow(line)
	}
	if err != nil {
		row, err = record.Row{}, &LineError{l.count, err}
	}
	row.Line = l.count
	return row, err
}

package remote

import (
	"bufio"
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"

	"macpro/core/memory"
	"macpro/registry/remote/wire"
)

// chunkSize is the size of the pieces in which a saved state travels, in bytes.
const chunkSize = 1 << 20

// sender is the sending end of a stream of pieces, receiver the receiving one.
type (
	sender   interface{ Send(*wire.Chunk) error }
	receiver interface{ Recv() (*wire.Chunk, error) }
)

type chunkWriter struct{ to sender }

func (w chunkWriter) Write(p []byte) (int, error) {
	for done := 0; done < len(p); {
		part := p[done:min(len(p), done+chunkSize)]
		if err := w.to.Send(&wire.Chunk{Data: part}); err != nil {
			return done, err
		}
		done += len(part)
	}
	return len(p), nil
}

// chunkReader reads what arrives. Rest is what is left of the last piece.
type chunkReader struct {
	from receiver
	rest []byte
}

func (r *chunkReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		c, err := r.from.Recv()
		if err != nil {
			return 0, err
		}
		r.rest = c.Data
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// sendAll sends the id and then all that r holds. A stream that the other side
// has ended is no error here: its answer says why.
func sendAll(to sender, id uint64, r io.Reader) error {
	err := to.Send(&wire.Chunk{Id: id})
	if err == nil {
		_, err = io.CopyBuffer(chunkWriter{to}, struct{ io.Reader }{r}, make([]byte, chunkSize))
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// receiveAll writes all that arrives to w. What has no end is cut off at the size
// of the memory, which a state must fit into.
func receiveAll(from receiver, w io.Writer) error {
	for size := 0.0; ; {
		c, err := from.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		size += float64(len(c.Data))
		if err := memory.Fits("the bytes of its state", size); err != nil {
			return err
		}
		if _, err := w.Write(c.Data); err != nil {
			return err
		}
	}
}

// saved asks for a state and writes it to w.
func saved[Q any, S receiver](l link, call func(context.Context, Q, ...grpc.CallOption) (S, error), q Q, w io.Writer) error {
	return l.do("Save", func(ctx context.Context) error {
		s, err := call(ctx, q)
		if err != nil {
			return err
		}
		return receiveAll(s, w)
	})
}

// loaded sends the state that r holds to what has the id, and returns the answer.
func loaded[A any](l link, call func(context.Context, ...grpc.CallOption) (grpc.ClientStreamingClient[wire.Chunk, A], error), id uint64, r io.Reader) (a *A, err error) {
	err = l.do("Load", func(ctx context.Context) error {
		s, err := call(ctx)
		if err != nil {
			return err
		}
		if err := sendAll(s, id, r); err != nil {
			return err
		}
		a, err = s.CloseAndRecv()
		return err
	})
	return a, err
}

func saveTo(to sender, save func(io.Writer) error) error {
	w := bufio.NewWriterSize(chunkWriter{to}, chunkSize)
	if err := save(w); err != nil {
		return err
	}
	return w.Flush()
}

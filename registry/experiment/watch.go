package experiment

import (
	"io"
	"log/slog"

	"macpro/core"
	"macpro/core/continual"
	"macpro/core/store"
)

// logging is the watch of a run that nobody looks at: warnings go to
// the run's log.
type logging struct{ log *slog.Logger }

func (l *logging) Attached(run *store.Run) { l.to(run.Log()) }

func (l *logging) to(w io.Writer) { l.log = slog.New(slog.NewTextHandler(w, nil)) }

func (l *logging) Event(core.Event) {}

func (l *logging) Progress(continual.Status) {}

func (l *logging) Warn(msg string) {
	if l.log == nil {
		l.to(io.Discard)
	}
	l.log.Warn(msg)
}

var _ Watch = (*logging)(nil)

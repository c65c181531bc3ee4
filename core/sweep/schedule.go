package sweep

// schedule decides which cell is next.
type schedule interface {
	// next returns a job that can start now, if any.
	next() (job, bool)
	// ended takes note of what became of a job.
	ended(j job, st State)
	// close is called after the last job.
	close() error
}

func (w *Worker) schedule(cells []*Cell) schedule {
	if w.Sweep.Search.Adaptive() {
		return newASHA(w.Sweep.Search, cells, w.Sweep, w.Pick != SkipFailed)
	}
	l := &inOrder{}
	for _, c := range cells {
		if w.Pick.takes(w.Sweep.State(c).Status) {
			l.cells = append(l.cells, c)
		}
	}
	return l
}

// Pick says which of the cells that have not ended are worked on.
type Pick string

// What failed is tried again unless it is skipped; it may also be all that is tried.
const (
	Everything Pick = ""
	SkipFailed Pick = "skip-failed"
	OnlyFailed Pick = "only-failed"
)

// takes says whether cells of a state are worked on.
func (p Pick) takes(s Status) bool {
	switch {
	case s.Ended():
		return false
	case p == SkipFailed:
		return s != Failed
	case p == OnlyFailed:
		return s == Failed
	}
	return true
}

type inOrder struct{ cells []*Cell }

func (l *inOrder) next() (job, bool) {
	if len(l.cells) == 0 {
		return job{}, false
	}
	c := l.cells[0]
	l.cells = l.cells[1:]
	return job{cell: c}, true
}

func (l *inOrder) ended(job, State) {}
func (l *inOrder) close() error     { return nil }

package sweep

// schedule decides which cell is next.
type schedule interface {
	// next returns a job that can start now, if any.
	next() (job, bool)
	// ended is told what became of a job.
	ended(j job, st State)
	// close is called after the last job.
	close() error
}

func (w *Worker) schedule(cells []*Cell) schedule {
	if w.Sweep.Search.Adaptive() {
		return newASHA(w.Sweep, cells)
	}
	l := &inOrder{}
	for _, c := range cells {
		if !w.Sweep.State(c).Status.Ended() {
			l.cells = append(l.cells, c)
		}
	}
	return l
}

// inOrder takes one cell after the other.
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

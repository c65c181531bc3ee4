package continual

import (
	"macpro/core"
	"macpro/core/episode"
	"macpro/core/record"
)

// window sums up what happened since the last row of training statistics. It
// is part of the run's state.
type window struct {
	episodes, returns, steps, won float64
	updates                       float64
	sum                           core.TrainStats
}

func (w *window) episode(e *episode.Episode) {
	w.episodes++
	w.returns += e.Return()
	w.steps += float64(e.T)
	if e.Won {
		w.won++
	}
}

func (w *window) step(s core.TrainStats) {
	w.updates++
	w.sum.Loss += s.Loss
	w.sum.TDLoss += s.TDLoss
	w.sum.Penalty += s.Penalty
	w.sum.ValueLoss += s.ValueLoss
	w.sum.TDAbs += s.TDAbs
	w.sum.QTaken += s.QTaken
	w.sum.Target += s.Target
	w.sum.GradNorm += s.GradNorm
	w.sum.Clip += s.Clip
}

// values lists pointers to everything that is saved, in a fixed order, but for
// ValueLoss, which only some methods have.
func (w *window) values() []*float64 {
	s := &w.sum
	return []*float64{&w.episodes, &w.returns, &w.steps, &w.won, &w.updates,
		&s.Loss, &s.TDLoss, &s.Penalty, &s.TDAbs, &s.QTaken, &s.Target, &s.GradNorm, &s.Clip}
}

// row holds the means over the window.
func (w *window) row(at record.At) record.Train {
	row := record.Train{
		At:            at,
		Episodes:      int64(w.episodes),
		ReturnMean:    w.returns / w.episodes,
		LengthMean:    w.steps / w.episodes,
		WinRate:       w.won / w.episodes,
		GradientSteps: int64(w.updates),
	}
	if n := w.updates; n > 0 {
		row.Gradients = &record.Gradients{
			Loss: w.sum.Loss / n, TDLoss: w.sum.TDLoss / n, Penalty: w.sum.Penalty / n, ValueLoss: w.sum.ValueLoss / n, TDAbs: w.sum.TDAbs / n,
			QTaken: w.sum.QTaken / n, Target: w.sum.Target / n, GradNorm: w.sum.GradNorm / n, Clip: w.sum.Clip / n,
		}
	}
	return row
}

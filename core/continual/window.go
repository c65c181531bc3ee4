package continual

import (
	"maps"

	"macpro/core"
	"macpro/core/episode"
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
	w.sum.TDAbs += s.TDAbs
	w.sum.QTaken += s.QTaken
	w.sum.Target += s.Target
	w.sum.GradNorm += s.GradNorm
	w.sum.Clip += s.Clip
}

// values lists pointers to everything that is saved, in a fixed order.
func (w *window) values() []*float64 {
	s := &w.sum
	return []*float64{&w.episodes, &w.returns, &w.steps, &w.won, &w.updates,
		&s.Loss, &s.TDLoss, &s.Penalty, &s.TDAbs, &s.QTaken, &s.Target, &s.GradNorm, &s.Clip}
}

// fields are the means over the window.
func (w *window) fields() map[string]any {
	f := map[string]any{
		"episodes":       int64(w.episodes),
		"return_mean":    w.returns / w.episodes,
		"length_mean":    w.steps / w.episodes,
		"win_rate":       w.won / w.episodes,
		"gradient_steps": int64(w.updates),
	}
	if w.updates > 0 {
		maps.Copy(f, map[string]any{
			"loss":      w.sum.Loss / w.updates,
			"td_loss":   w.sum.TDLoss / w.updates,
			"penalty":   w.sum.Penalty / w.updates,
			"td_abs":    w.sum.TDAbs / w.updates,
			"q_taken":   w.sum.QTaken / w.updates,
			"target":    w.sum.Target / w.updates,
			"grad_norm": w.sum.GradNorm / w.updates,
			"clip":      w.sum.Clip / w.updates,
		})
	}
	return f
}

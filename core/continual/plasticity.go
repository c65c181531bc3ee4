package continual

import (
	"fmt"
	"math"

	"macpro/core"
	"macpro/core/episode"
	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/rollout"
	"macpro/core/safetensors"
)

// The bounds of the measures of plasticity.
const (
	dormantTau = 0.025 // Sokar et al. 2023
	rankDelta  = 0.01  // Kumar et al. 2021
)

const phiTensor = "plasticity.phi"

// measurable refuses plasticity_nepisode for a learner that cannot show its units.
func (r *Runner) measurable() error {
	if r.cfg.PlasticityEpisodes > 0 && core.AbilitiesOf(r.learner).Weights == nil {
		return fmt.Errorf("plasticity_nepisode %d needs a learner with the ability %s, and learner %s has not got it: set plasticity_nepisode=0",
			r.cfg.PlasticityEpisodes, core.AbilityWeights, r.o.Learner.Info().Name)
	}
	return nil
}

// plasticity measures the networks at the end of task t and writes the row. Its
// greedy episodes have streams of their own.
func (r *Runner) plasticity(t int) error {
	if r.cfg.PlasticityEpisodes == 0 {
		return nil
	}
	player, err := r.tests.Player(r.names[t], r.cfg.PlasticityEpisodes)
	if err != nil {
		return r.at("measuring plasticity", err)
	}
	src := r.root.Child("plasticity", r.names[t]).ChildInt(int64(t))
	plan := rollout.Plan{Episodes: r.cfg.PlasticityEpisodes, Env: src.Stream(), Task: r.toldIndex(t), Head: core.LiveHead}
	var batch []*episode.Episode
	steps := 0
	err = player.Play(&plan, func(_ int, e *episode.Episode, _ []int32) error {
		var kept episode.Episode
		kept.CopyFrom(e)
		batch, steps = append(batch, &kept), steps+e.T
		return nil
	})
	if err != nil {
		return r.at("measuring plasticity", err)
	}
	w := core.AbilitiesOf(r.learner).Weights
	seen, err := w.Activity(batch, core.ActivityQuery{MeanAbs: true, Gram: true})
	if err != nil {
		return r.ofLearner(err)
	}
	phi := r.learner.Parameters(core.ScopeFeatures, nil)
	row := measured(w.Layers(), seen, phi, r.phi)
	row.At, row.Index, row.Steps = r.now(r.names[t]), t, steps
	r.phi = phi
	return r.emit(row)
}

// measured are the measures of networks with these layers and activities. last is phi
// at the last task's end, or nil.
func measured(layers []core.Layer, seen []core.Activity, phi, last []float32) record.Plasticity {
	row := record.Plasticity{Norm: distance(phi, nil)}
	features := outputOf(layers, len(phi))
	var units [][]float32
	for _, a := range seen {
		units = append(units, a.MeanAbs)
		if a.Layer != features {
			continue
		}
		if rank, ok := metrics.EffectiveRank(a.Gram, len(a.MeanAbs), rankDelta); ok {
			row.Rank = &rank
		}
	}
	row.Dormant = metrics.Dormant(units, dormantTau)
	if last != nil {
		row.Drift = new(distance(phi, last))
	}
	return row
}

// outputOf names the layer of phi that the head reads: its readers lie behind the n
// parameters of phi. "" if there is none.
func outputOf(layers []core.Layer, n int) string {
	for _, l := range layers {
		for _, s := range l.Out {
			if s.Offset >= n {
				return l.Name
			}
		}
	}
	return ""
}

// distance is the Euclidean distance of parameters; nil is the origin.
func distance(a, b []float32) float64 {
	var sum float64
	for i, x := range a {
		d := float64(x)
		if b != nil {
			d -= float64(b[i])
		}
		sum += d * d
	}
	return math.Sqrt(sum)
}

// savePhi keeps phi of the last task's end, from which the next drift is measured.
func (r *Runner) savePhi(f *safetensors.File) {
	if r.phi != nil {
		safetensors.Put(f, phiTensor, r.phi)
	}
}

func (r *Runner) loadPhi(f *safetensors.File) (err error) {
	if r.phi = nil; r.cfg.PlasticityEpisodes > 0 && f.Has(phiTensor) {
		r.phi, err = safetensors.Get[float32](f, phiTensor, len(r.learner.Parameters(core.ScopeFeatures, nil)))
	}
	return err
}

package battle

import (
	"math"

	"macpro/plugins/envs/internal/skirmish"
)

// Ending says how an episode stands.
type Ending int8

// The endings. In a draw the last units of both sides died in one step.
const (
	Defeat  Ending = -1
	Draw    Ending = 0
	Victory Ending = 1
	Ongoing Ending = 2
)

// Pay says how a step is paid in which enemies recover, as shields recharge and
// medivacs heal. Without recoveries all three agree.
type Pay uint8

// The ways to pay.
const (
	Damage   Pay = iota // what each enemy lost; a recovery neither pays nor costs
	Net                 // losses less recoveries of all enemies, at least 0
	Absolute            // losses less recoveries without the sign: recoveries pay, too
)

// Scorer computes the reward of an episode from successive tables: what the enemies
// lost in health and shield since the last table plus 10 for each that died. Every
// point that an enemy recovers can be taken from it again, so returns may exceed the
// nominal maximum.
type Scorer struct {
	pay  Pay
	left []float64 // health and shield of each enemy in the last table; 0 once dead
}

// NewScorer makes a scorer for a map.
func NewScorer(m *Map, p Pay) *Scorer { return &Scorer{pay: p, left: make([]float64, m.Enemies())} }

// Begin starts an episode with its first table.
func (s *Scorer) Begin(t *Table) {
	for j := range t.Enemies {
		s.left[j] = t.Enemies[j].Health + t.Enemies[j].Shield
	}
}

// Step returns the reward for the step that led to t, without the bonus for winning
// and before scaling.
func (s *Scorer) Step(t *Table) float64 {
	sum := 0.0
	for j := range t.Enemies {
		before, e := s.left[j], &t.Enemies[j]
		switch {
		case before == 0:
		case e.alive():
			s.left[j] = e.Health + e.Shield
			if lost := before - s.left[j]; lost > 0 || s.pay != Damage {
				sum += lost
			}
		default:
			s.left[j] = 0
			sum += before + killReward
		}
	}
	if s.pay == Absolute {
		return math.Abs(sum)
	}
	return max(sum, 0)
}

// Judge tells how an episode stands. Officially, on maps with medivacs, a side that
// has nothing else left has lost.
func (v *View) Judge(t *Table) Ending {
	allies, fighters := count(t.Agents)
	enemies, opponents := count(t.Enemies)
	medics := v.m.medics && v.opt.Style == Official
	switch {
	case enemies > 0 && allies == 0, medics && fighters == 0:
		return Defeat
	case allies > 0 && enemies == 0, medics && enemies == 1 && opponents == 0:
		return Victory
	case allies == 0 && enemies == 0:
		return Draw
	}
	return Ongoing
}

// count returns the number of living units and of those that are no healers.
func count(us []Unit) (living, fighters int) {
	for i := range us {
		if us[i].alive() {
			living++
			if us[i].Kind != skirmish.Medivac {
				fighters++
			}
		}
	}
	return living, fighters
}

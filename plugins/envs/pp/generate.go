package pp

import (
	"fmt"
	"math"

	"macpro/core/rng"
	"macpro/plugins/envs/internal/procgen"
)

// The ranges of generated tasks, in hundredths of the training task's own constants.
const (
	leastPrey, leastPredator = 50, 70
	morePrey, lessPredator   = 100, 30 // at difficulty 1
	mostPredator             = 130
)

// draw is the name of a task of the distribution at difficulty d. The prey is uniformly
// one of the training tasks'. Its speed and acceleration are those of that task times a
// factor, uniform in 0.5 to 1+d; a predator's times another, uniform in 1-0.3d to 1.3.
// Both are rounded to hundredths. A prey that stays has no speed to draw.
func draw(s *rng.Stream, d float64) string {
	kind := kinds[s.Intn(len(kinds))]
	prey := procgen.Whole(s, leastPrey, 100+int(math.Round(d*morePrey)))
	if base[kind].policy == frozen {
		prey = 100
	}
	predator := procgen.Whole(s, 100-int(math.Round(d*lessPredator)), mostPredator)
	return generatedName(kind, prey, predator)
}

// generatedName tells all constants of a task: bull-bull-p120-q75 is bull-bull with
// predators 1.2 times and a prey 0.75 times as fast.
func generatedName(kind string, prey, predator int) string {
	return fmt.Sprintf("%s-p%d-q%d", kind, predator, prey)
}

func parse(name string) (task, bool) {
	for _, kind := range kinds {
		var prey, predator int
		if n, err := fmt.Sscanf(name, kind+"-p%d-q%d", &predator, &prey); err != nil || n != 2 || name != generatedName(kind, prey, predator) {
			continue
		}
		t := base[kind]
		t.name = name
		t.predator, t.prey = t.predator.times(predator), t.prey.times(prey)
		return t, (t.policy != frozen || prey == 100) && prey >= leastPrey && prey <= 100+morePrey && predator >= leastPredator && predator <= mostPredator
	}
	return task{}, false
}

// times is the body at hundredths of its speed.
func (b body) times(hundredths int) body {
	f := float64(hundredths) / 100
	return body{b.size, b.accel * f, b.maxSpeed * f}
}

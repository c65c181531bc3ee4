package macpro

import (
	"macpro/core"
	"macpro/core/episode"
)

// lane is a task whose episodes a graph serves, with room for some time steps:
// rows of states, each of which has a row of observations for every agent.
// Teams of every size have a lane of their own, so that nothing is padded to
// the largest.
type lane struct {
	spec  core.EnvSpec
	index int // of the task in the run, -1 for a graph that serves one task alone
	steps int
}

// serves tells whether an episode has the shapes of the lane's task.
func (l *lane) serves(e *episode.Episode) bool {
	return (l.index < 0 || l.index == e.Task) && fits(&l.spec, e)
}

// fits tells whether an episode has the shapes of a task.
func fits(s *core.EnvSpec, e *episode.Episode) bool {
	return s.Agents == e.N && s.Actions == e.A && s.ObsWidth == e.ObsWidth && s.StateWidth == e.StateWidth
}

// laneOf is the number of an episode's lane, -1 if it has none.
func laneOf(lanes []lane, e *episode.Episode) int {
	for i := range lanes {
		if lanes[i].serves(e) {
			return i
		}
	}
	return -1
}

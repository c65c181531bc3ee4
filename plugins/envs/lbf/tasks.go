package lbf

import (
	"fmt"
	"strings"

	"macpro/core"
	"macpro/core/names"
	"macpro/plugins/envs/internal/lanes"
)

// task is a board and the food's cell on it, always outside of the 3x3 corner,
// the largest in which players may start.
type task struct {
	name string
	size int8 // rows and columns
	food cell
}

// train is the paper's sequence.
var train = []task{
	{"topright", 5, cell{0, 4}},
	{"right", 5, cell{2, 4}},
	{"bottomright", 5, cell{4, 4}},
	{"bottom", 5, cell{4, 2}},
	{"bottomleft", 5, cell{4, 0}},
}

// testOnly are the tasks of the generalisation test.
var testOnly = []task{
	{"right1", 5, cell{1, 4}},
	{"right2", 5, cell{1, 3}},
	{"right3", 5, cell{2, 3}},
	{"right4", 5, cell{3, 3}},
	{"right5", 5, cell{3, 4}},
	{"bottom1", 5, cell{4, 3}},
	{"bottom3", 5, cell{3, 2}},
	{"bottom4", 5, cell{3, 1}},
	{"bottom5", 5, cell{4, 1}},
	{"6x6-topright", 6, cell{0, 5}},
	{"6x6-topright3", 6, cell{1, 5}},
	{"6x6-right1", 6, cell{2, 5}},
	{"6x6-right", 6, cell{3, 5}},
	{"6x6-right5", 6, cell{4, 5}},
	{"6x6-bottomright", 6, cell{5, 5}},
	{"6x6-bottom1", 6, cell{5, 4}},
	{"6x6-bottom", 6, cell{5, 3}},
	{"6x6-bottom5", 6, cell{5, 2}},
	{"6x6-bottomleft1", 6, cell{5, 1}},
	{"6x6-bottomleft", 6, cell{5, 0}},
}

// find returns the task of a name, short or in the original's spelling.
func find(name string) (task, error) {
	short := shortName(name)
	var known []string
	for _, tasks := range [][]task{train, testOnly} {
		for _, t := range tasks {
			if t.name == short {
				return t, nil
			}
			known = append(known, t.name)
		}
	}
	return task{}, names.Unknown("lbf task", name, known)
}

// shortName turns [lbforaging:]Foraging-6x6-2p-1f-coop-right-v1 into 6x6-right
// and, as 5x5 is the board of the plain names, Foraging-5x5-... into right. Any
// other name is returned as it is.
func shortName(name string) string {
	rest, ok := strings.CutPrefix(strings.TrimPrefix(name, "lbforaging:"), "Foraging-")
	board, place, ok2 := strings.Cut(rest, "-2p-1f-coop-")
	place, ok3 := strings.CutSuffix(place, "-v1")
	if !ok || !ok2 || !ok3 {
		return name
	}
	return strings.TrimPrefix(board+"-"+place, "5x5-")
}

func list(c Config) core.TaskList {
	l := core.TaskList{Sequences: map[string][]string{}, Params: map[string][]core.Param{}}
	for _, t := range train {
		l.Sequences["train"] = append(l.Sequences["train"], t.name)
		l.Params[t.name] = t.params(c)
	}
	for _, t := range testOnly {
		l.Generalization = append(l.Generalization, t.name)
		l.Params[t.name] = t.params(c)
	}
	return l
}

// params lists everything that distinguishes the task's results from another's.
func (t task) params(c Config) []core.Param {
	return []core.Param{
		{Name: "board", Value: fmt.Sprintf("%dx%d", t.size, t.size)},
		{Name: "food", Value: t.food.String()},
		{Name: "start", Value: fmt.Sprintf("(0,0) to (%d,%d)", c.SpawnSize-1, c.SpawnSize-1)},
		{Name: "levels", Value: fmt.Sprintf("1 to %d", c.MaxLevel)},
		{Name: "limit", Value: fmt.Sprint(c.TimeLimit)},
		{Name: "reward", Value: lanes.Number(c.RewardScale)},
	}
}

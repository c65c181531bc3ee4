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
	// Of generated tasks: the largest level in place of the setting's, and the distance in
	// rows and in columns within which a player sees. 0 leaves the setting and sees all.
	level int
	sight int8
}

// train is the paper's sequence.
var train = []task{
	{name: "topright", size: 5, food: cell{0, 4}},
	{name: "right", size: 5, food: cell{2, 4}},
	{name: "bottomright", size: 5, food: cell{4, 4}},
	{name: "bottom", size: 5, food: cell{4, 2}},
	{name: "bottomleft", size: 5, food: cell{4, 0}},
}

// testOnly are the tasks of the generalisation test.
var testOnly = []task{
	{name: "right1", size: 5, food: cell{1, 4}},
	{name: "right2", size: 5, food: cell{1, 3}},
	{name: "right3", size: 5, food: cell{2, 3}},
	{name: "right4", size: 5, food: cell{3, 3}},
	{name: "right5", size: 5, food: cell{3, 4}},
	{name: "bottom1", size: 5, food: cell{4, 3}},
	{name: "bottom3", size: 5, food: cell{3, 2}},
	{name: "bottom4", size: 5, food: cell{3, 1}},
	{name: "bottom5", size: 5, food: cell{4, 1}},
	{name: "6x6-topright", size: 6, food: cell{0, 5}},
	{name: "6x6-topright3", size: 6, food: cell{1, 5}},
	{name: "6x6-right1", size: 6, food: cell{2, 5}},
	{name: "6x6-right", size: 6, food: cell{3, 5}},
	{name: "6x6-right5", size: 6, food: cell{4, 5}},
	{name: "6x6-bottomright", size: 6, food: cell{5, 5}},
	{name: "6x6-bottom1", size: 6, food: cell{5, 4}},
	{name: "6x6-bottom", size: 6, food: cell{5, 3}},
	{name: "6x6-bottom5", size: 6, food: cell{5, 2}},
	{name: "6x6-bottomleft1", size: 6, food: cell{5, 1}},
	{name: "6x6-bottomleft", size: 6, food: cell{5, 0}},
}

// find returns the task of a name, short or in the original's spelling.
func find(name string) (task, error) {
	short := shortName(name)
	if t, ok := parse(short); ok {
		return t, nil
	}
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

func list(c Config) (core.TaskList, error) {
	l := core.TaskList{Sequences: map[string][]string{}, Params: map[string][]core.Param{}}
	for _, t := range train {
		l.Sequences["train"] = append(l.Sequences["train"], t.name)
		l.Params[t.name] = t.params(c)
	}
	for _, t := range testOnly {
		l.Generalization = append(l.Generalization, t.name)
		l.Params[t.name] = t.params(c)
	}
	err := c.Add(&l, "lbf", draw, func(name string) []core.Param {
		t, _ := parse(name)
		return t.params(c)
	})
	return l, err
}

// params lists everything that distinguishes the task's results from another's.
func (t task) params(c Config) []core.Param {
	level := c.MaxLevel
	if t.level > 0 {
		level = t.level
	}
	out := []core.Param{
		{Name: "board", Value: fmt.Sprintf("%dx%d", t.size, t.size)},
		{Name: "food", Value: t.food.String()},
		{Name: "start", Value: fmt.Sprintf("(0,0) to (%d,%d)", c.SpawnSize-1, c.SpawnSize-1)},
		{Name: "levels", Value: fmt.Sprintf("1 to %d", level)},
		{Name: "limit", Value: fmt.Sprint(c.TimeLimit)},
		{Name: "reward", Value: lanes.Number(c.RewardScale)},
	}
	if t.sight > 0 {
		out = append(out, core.Param{Name: "sight", Value: fmt.Sprint(t.sight)})
	}
	return out
}

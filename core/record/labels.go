package record

import (
	"fmt"
	"slices"
)

// Labels names the tasks of a sequence for people: the name of a task, and from
// its second place in the sequence on name#2, name#3 and so on.
func Labels(tasks []string) []string {
	out, count := make([]string, len(tasks)), map[string]int{}
	for i, name := range tasks {
		count[name]++
		out[i] = label(name, count[name])
	}
	return out
}

func label(name string, n int) string {
	if n < 2 {
		return name
	}
	return fmt.Sprintf("%s#%d", name, n)
}

// Repeated is the index of the i-th task, to be written into rows that name it,
// if its name alone does not tell which task is meant; else nil.
func Repeated(tasks []string, i int) *int {
	if i < 0 || i >= len(tasks) {
		return nil
	}
	for j, name := range tasks {
		if j != i && name == tasks[i] {
			return &i
		}
	}
	return nil
}

// IndexOf is the task that a row means: the index in it, if it has one, else the
// first task of that name, -1 if there is none.
func IndexOf(tasks []string, name string, index *int) int {
	if index != nil && *index >= 0 && *index < len(tasks) && tasks[*index] == name {
		return *index
	}
	return slices.Index(tasks, name)
}

// Labeller labels the tasks of a journal as their tests come by. It has no
// sequence before it; tests of a time come in the order of the sequence.
type Labeller map[string][]int

// Label is the label of the task of that name and index.
func (l Labeller) Label(name string, index int) string {
	at, known := slices.BinarySearch(l[name], index)
	if !known {
		l[name] = slices.Insert(l[name], at, index)
	}
	return label(name, at+1)
}

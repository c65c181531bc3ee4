package budget

import (
	"slices"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	tasks := []string{"5m_vs_6m", "13m", "5m_vs_6m", "4m"}
	for _, c := range []struct {
		entries []string
		want    []int64
		err     string
	}{
		{nil, []int64{100, 100, 100, 100}, ""},
		{[]string{"13m=200"}, []int64{100, 200, 100, 100}, ""},
		{[]string{" 4m = 2e5 ", "5m_vs_6m=7"}, []int64{7, 100, 7, 200000}, ""},
		{[]string{"5m_vs_6m#2=8"}, []int64{100, 100, 8, 100}, ""},
		{[]string{"5m_vs_6m#2=8", "5m_vs_6m=7"}, []int64{7, 100, 8, 100}, ""},
		{[]string{"14m=5"}, nil, `steps_by_task: unknown task "14m"`},
		{[]string{"8m=5", "13m=200"}, []int64{100, 200, 100, 100}, ""},
		{[]string{"4m#2=5"}, nil, `steps_by_task: unknown task "4m#2"`},
		{[]string{"4m=5", "4m=6"}, nil, "steps_by_task names 4m twice"},
		{[]string{"4m"}, nil, `"" is no whole number`},
		{[]string{"4m=0"}, nil, `"0" is no whole number from 1 to 1e+12`},
		{[]string{"4m=1.5"}, nil, `"1.5" is no whole number`},
		{[]string{"4m=1e13"}, nil, `"1e13" is no whole number`},
		{[]string{"4m=NaN"}, nil, `"NaN" is no whole number`},
		{[]string{"4m=lots"}, nil, `"lots" is no whole number`},
	} {
		b := Budget{100, c.entries}
		got, err := b.Of(tasks)
		if err == nil {
			if err = b.Check(tasks, []string{"8m", "4m"}); err != nil {
				got = nil
			}
		}
		if !slices.Equal(got, c.want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: %v, %v, want %v, %s", c.entries, got, err, c.want, c.err)
		}
	}
}

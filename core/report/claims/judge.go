package claims

import (
	"fmt"
	"maps"
	"slices"

	"macpro/core/report/read"
	"macpro/core/report/stats"
	"macpro/core/rng"
)

// Verdict is what runs say of a check.
type Verdict string

// The verdicts. None means that there are no runs.
const (
	Shown   Verdict = "shown"
	Refuted Verdict = "refuted"
	Open    Verdict = "open"
	None    Verdict = "no runs"
)

// enough is the least number of seeds that can show or refute.
const enough = 3

// draws of the bootstrap.
const draws = 10000

// Finding is a check of one left side against one right side on one environment.
type Finding struct {
	Claim, Env  string
	Check       Check
	Right       string // label of the right side, or the number
	Seeds       []int64
	Left, Other float64 // means over the seeds
	Difference  stats.Interval
	Verdict     Verdict
	Strict      Verdict // by Student's t interval of the same differences
	From, Page  string
	Budget      string
}

// Judge makes the findings of all claims. load reads the summaries of a folder,
// nil if there is no such folder. It is called once for each folder.
func (s *Spec) Judge(load func(folder string) ([]*read.Summary, error)) ([]Finding, error) {
	var all []Finding
	loaded := map[string][]*read.Summary{}
	for _, c := range s.Claims {
		for _, k := range c.Checks {
			for _, e := range s.Envs {
				if len(k.Envs) > 0 && !slices.Contains(k.Envs, e.Key) {
					continue
				}
				f := Finding{Claim: c.ID, Env: e.Key, Check: k, From: e.From, Page: e.Page, Budget: e.Budget}
				if k.From != "" {
					f.From, f.Page, f.Budget = k.From, k.Page, k.Budget
				}
				runs, known := loaded[f.From]
				if !known {
					var err error
					if runs, err = load(f.From); err != nil {
						return nil, err
					}
					loaded[f.From] = runs
				}
				for _, right := range k.Right {
					g := f
					if err := s.compare(&g, runs, right); err != nil {
						return nil, fmt.Errorf("claim %s on %s: %w", c.ID, e.Key, err)
					}
					all = append(all, g)
				}
			}
		}
	}
	return all, nil
}

func (s *Spec) compare(f *Finding, runs []*read.Summary, right string) error {
	left, tasks, err := s.values(s.Sides[f.Check.Left], f, runs)
	if err != nil {
		return err
	}
	other := map[int64]float64{}
	if side, ok := s.Sides[right]; ok {
		f.Right = side.Label
		if other, _, err = s.values(side, f, runs); err != nil {
			return err
		}
	} else {
		f.Right = right
		for seed := range left {
			other[seed], _ = number(right, tasks)
		}
	}
	var differences stats.Scores
	for _, seed := range slices.Sorted(maps.Keys(left)) {
		r, ok := other[seed]
		if !ok {
			continue
		}
		f.Seeds = append(f.Seeds, seed)
		f.Left += left[seed]
		f.Other += r
		differences = append(differences, []float64{left[seed] - r})
	}
	f.Verdict, f.Strict = None, None
	if n := float64(len(f.Seeds)); n > 0 {
		f.Left, f.Other = f.Left/n, f.Other/n
		f.Difference = stats.Bootstrap(differences, stats.Mean, draws, rng.New(1).Child("claims"))
		f.Verdict, f.Strict = f.judge(f.Difference), f.judge(stats.Student(differences.Flat()))
	}
	return nil
}

// values are the measure of a side by seed, and the number of tasks of its runs.
// Two runs of one seed are an error.
func (s *Spec) values(side Side, f *Finding, runs []*read.Summary) (map[int64]float64, int, error) {
	out, of, tasks := map[int64]float64{}, map[int64]string{}, 1
	for _, r := range runs {
		if r.Env != f.Env {
			continue
		}
		x, ok, err := side.When.Value(r, f.Check.Measure)
		if err != nil {
			return nil, 0, err
		}
		if !ok {
			continue
		}
		if other, twice := of[r.Seed]; twice {
			return nil, 0, fmt.Errorf("%s has two runs of seed %d in %s: %s and %s; narrow its conditions", side.Label, r.Seed, f.From, other, r.ID)
		}
		out[r.Seed], of[r.Seed], tasks = x, r.ID, len(r.Tasks)
	}
	return out, tasks, nil
}

func (f *Finding) judge(of stats.Interval) Verdict {
	lo, hi, by := float64(of.Low), float64(of.High), f.Check.By
	if len(f.Seeds) < enough {
		return Open
	}
	var in, out bool
	switch f.Check.Is {
	case "above":
		in, out = lo >= by, hi < by
	case "below":
		in, out = hi <= -by, lo > -by
	case "near":
		in, out = lo >= -by && hi <= by, hi < -by || lo > by
	}
	switch {
	case in:
		return Shown
	case out:
		return Refuted
	}
	return Open
}

// Sum is the verdict of several findings: refuted if one is, shown if all are,
// and without runs if none has any.
func Sum(findings []Finding) Verdict {
	return sum(findings, func(f Finding) Verdict { return f.Verdict })
}

func sum(findings []Finding, of func(Finding) Verdict) Verdict {
	count := map[Verdict]int{}
	for _, f := range findings {
		count[of(f)]++
	}
	switch {
	case len(findings) == count[None]:
		return None
	case count[Refuted] > 0:
		return Refuted
	case count[Shown] == len(findings):
		return Shown
	}
	return Open
}

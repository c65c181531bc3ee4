package claims

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"macpro/core/names"
	"macpro/core/report/spec"
)

// Spec is a file of claims.
type Spec struct {
	// Envs are the environments that each claim is checked on, in order.
	Envs []Env `yaml:"envs"`
	// Sides are sets of runs by name.
	Sides map[string]Side `yaml:"sides"`
	// Claims in their order.
	Claims []Claim `yaml:"claims"`
}

// Env is an environment and where its evidence lies.
type Env struct {
	Key   string `yaml:"key"`
	Label string `yaml:"label"`
	Page  string `yaml:"page"` // document that discusses the runs
	From  string `yaml:"from"` // folder of summaries
	// Budget is the share of the paper's transitions in these runs, as in 1/5.
	Budget string `yaml:"budget"`
}

// Side is a set of runs, one for each seed.
type Side struct {
	Label string    `yaml:"label"`
	When  spec.When `yaml:"when"`
}

// Claim is a sentence and the checks that it means.
type Claim struct {
	ID     string  `yaml:"id"`
	Text   string  `yaml:"text"`
	Checks []Check `yaml:"checks"`
}

// Check compares a side with others or with numbers.
type Check struct {
	Left    string   `yaml:"left"`
	Is      string   `yaml:"is"` // above, below or near
	Right   []string `yaml:"right"`
	Measure string   `yaml:"measure"`
	// By is how far above or below, or how near; it may be negative: above by -0.05
	// is "at most 0.05 below".
	By float64 `yaml:"by"`
	// Envs are those that the check is for; none means all.
	Envs []string `yaml:"envs"`
	// From, Page and Budget replace those of the environment, all of them or none.
	From   string `yaml:"from"`
	Page   string `yaml:"page"`
	Budget string `yaml:"budget"`
}

// The relations of a check.
var relations = []string{"above", "below", "near"}

// Parse reads a file of claims; name is its name for messages. An unknown field,
// side or relation is an error.
func Parse(name string, data []byte) (*Spec, error) {
	var s Spec
	if err := names.DecodeYAML(data, &s, "a file of claims"); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, c := range s.Claims {
		for _, k := range c.Checks {
			if err := s.check(k); err != nil {
				return nil, fmt.Errorf("%s: claim %s: %w", name, c.ID, err)
			}
		}
	}
	return &s, nil
}

func (s *Spec) check(k Check) error {
	for _, name := range append([]string{k.Left}, k.Right...) {
		if _, ok := s.Sides[name]; ok {
			continue
		}
		if _, isNumber := number(name, 1); name == k.Left || !isNumber {
			return names.Unknown("side", name, slices.Sorted(maps.Keys(s.Sides)))
		}
	}
	if !slices.Contains(relations, k.Is) {
		return names.Unknown("relation", k.Is, relations)
	}
	if own := []string{k.From, k.Page, k.Budget}; slices.Contains(own, "") && strings.Join(own, "") != "" {
		return fmt.Errorf("a check has from %q, page %q and budget %q: want all of them or none", k.From, k.Page, k.Budget)
	}
	return nil
}

// number reads a right side that is a number, or 1/M of a run with M tasks.
func number(text string, tasks int) (float64, bool) {
	if text == "1/M" {
		return 1 / float64(tasks), true
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	return x, err == nil
}

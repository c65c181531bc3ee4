package conform

import (
	"fmt"
	"maps"
	"math"
	"reflect"

	"macpro/core"
)

// checkHash: a task's hash changes with every setting that changes what the
// task shows, pays or prints as a constant, and with nothing else that is not
// the family's own.
func checkHash(p core.EnvPlugin, s core.Settings) error {
	foreign := maps.Clone(s)
	foreign["a_key_of_somebody_else"] = 1
	if err := compareHashes(p, s, foreign, true); err != nil {
		return fmt.Errorf("with a foreign key: %w", err)
	}
	for _, f := range p.Info().Schema {
		for _, v := range alternatives(f, s[f.Key]) {
			other := maps.Clone(s)
			other[f.Key] = v
			if _, err := p.Tasks(other); err != nil {
				continue // not a legal value in company of the others
			}
			if err := compareHashes(p, s, other, false); err != nil {
				return fmt.Errorf("with %s = %v instead of %v: %w", f.Key, v, s[f.Key], err)
			}
		}
	}
	return nil
}

// compareHashes refuses two settings under which one task has one hash and yet
// differs, or (same) one task has two hashes.
func compareHashes(p core.EnvPlugin, a, b core.Settings, same bool) error {
	la, err := p.Tasks(a)
	if err != nil {
		return err
	}
	lb, err := p.Tasks(b)
	if err != nil {
		return err
	}
	for _, task := range taskNames(la) {
		ha, err := hashOf(p, a, task)
		if err != nil {
			return err
		}
		hb, err := hashOf(p, b, task)
		if err != nil {
			continue // the value is not legal for this task
		}
		if ha != hb {
			if same {
				return fmt.Errorf("task %q: the hash changed from %s to %s", task, ha, hb)
			}
			continue
		}
		if ps, listed := lb.Params[task]; listed && !reflect.DeepEqual(la.Params[task], ps) {
			return fmt.Errorf("task %q: one hash, but params %v and %v", task, la.Params[task], lb.Params[task])
		}
		if err := compareEpisodes(p, a, b, task); err != nil {
			return fmt.Errorf("task %q: one hash, but different episodes: %w", task, err)
		}
	}
	return nil
}

func compareEpisodes(p core.EnvPlugin, a, b core.Settings, task string) error {
	for seed := uint64(51); seed < 53; seed++ {
		x, err := playAlone(p, a, task, seed)
		if err != nil {
			return err
		}
		y, err := playAlone(p, b, task, seed)
		if err != nil {
			return err
		}
		if err := x.diff(y); err != nil {
			return err
		}
	}
	return nil
}

func hashOf(p core.EnvPlugin, s core.Settings, task string) (string, error) {
	e, err := p.Open(task, 1, s)
	if err != nil {
		return "", err
	}
	return e.Spec().Hash, e.Close()
}

// alternatives are other legal values of a field, near its present one.
func alternatives(f core.Field, v any) []any {
	var out []any
	try := func(x float64, alt any) {
		if (f.Min == nil || x >= *f.Min) && (f.Max == nil || x <= *f.Max) && alt != v {
			out = append(out, alt)
		}
	}
	switch v := v.(type) {
	case bool:
		out = append(out, !v)
	case int:
		for _, x := range []int{v + 1, v - 1, v / 2} {
			try(float64(x), x)
		}
	case float64:
		for _, x := range []float64{v * 2, v / 2, math.Nextafter(v, math.Inf(1)), v + 0.01} {
			try(x, x)
		}
	case string:
		for _, x := range f.Enum {
			try(math.NaN(), x)
		}
	}
	return out
}

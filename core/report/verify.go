package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"macpro/core/config"
	"macpro/core/store"
)

// verified reads the configuration of a run and compares it with what the
// manifest says about it.
func verified(rec *store.Record) (map[string]string, error) {
	data, err := rec.Config()
	if err != nil {
		return nil, err
	}
	c, err := config.ReadRecorded(data)
	if err != nil {
		return nil, fmt.Errorf("config.yaml: %w", err)
	}
	m := rec.Manifest
	if !c.Matches(m.ConfigHash, m.Unhashed) {
		return nil, fmt.Errorf("config.yaml is not the one that the run was recorded with (config_hash %s)", short(m.ConfigHash))
	}
	recorded := [][2]string{{"alg", m.Alg}, {"env", m.Env}, {"learner", m.Learner}, {"seed", fmt.Sprint(m.Seed)}, {"ablation", m.Ablation},
		{"profile", m.Profile}, {"compat", m.Compat}}
	if m.Ablation == "" {
		recorded[4][1] = "none"
	}
	for _, r := range recorded {
		if v := c.Values[r[0]]; r[1] != "" && v != r[1] {
			return nil, fmt.Errorf("config.yaml has %s %s, the manifest says %s", r[0], v, r[1])
		}
	}
	return c.Values, nil
}

// closing compares final.json with the closing row of the journal.
func closing(rec *store.Record, row *store.Row) (store.Final, error) {
	final, err := rec.Final()
	switch {
	case err != nil:
		return nil, err
	case row == nil:
		return nil, fmt.Errorf("the journal has no closing row, although the run is done")
	case final == nil:
		return nil, fmt.Errorf("final.json is missing or empty")
	}
	for _, key := range slices.Sorted(maps.Keys(row.Fields)) {
		if want := row.Fields[key]; !reflect.DeepEqual(final[key], want) && !(blank(final[key]) && blank(want)) {
			return nil, fmt.Errorf("final.json has %s %s, the closing row of the journal says %s", key, excerpt(final[key]), excerpt(want))
		}
	}
	return final, nil
}

// blank says whether a value is absent or an empty list.
func blank(v any) bool {
	l, ok := v.([]any)
	return v == nil || ok && len(l) == 0
}

// excerpt is the beginning of a value in JSON.
func excerpt(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	if len(b) > 60 {
		return string(b[:60]) + "..."
	}
	return string(b)
}

// Verify compares everything of a run that figures are taken from with the hashes
// that the run recorded.
func Verify(rec *store.Record) error {
	_, err := Summarize(rec)
	return err
}

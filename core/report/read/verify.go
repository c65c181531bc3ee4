package read

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"macpro/core/config"
	"macpro/core/record"
	"macpro/core/store"
)

// verified reads the configuration of a run and compares it with what the
// manifest says about it.
func verified(rec *store.Record) (map[string]string, error) {
	data, err := rec.Config()
	if err != nil {
		return nil, err
	}
	c, err := config.ReadRecorded("config.yaml", data)
	if err != nil {
		return nil, err
	}
	m := rec.Manifest
	if c.Hash(m.Unhashed) != m.ConfigHash {
		return nil, fmt.Errorf("config.yaml is not the one that the run was recorded with (config_hash %s)", m.ConfigHash[:min(len(m.ConfigHash), 12)])
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

// closing compares final.json with the last row of the journal, which closes it.
func closing(rec *store.Record, last *record.Row) (*record.Outcome, error) {
	var row record.Entry
	var err error
	if last != nil {
		row, err = record.Parse(*last)
	}
	want, closed := row.(record.Final)
	if err == nil && !closed {
		err = fmt.Errorf("the journal has no closing row, although the run is done")
	}
	if err != nil {
		return nil, err
	}
	final, err := rec.Final()
	if err == nil && final == nil {
		err = fmt.Errorf("final.json is missing or empty")
	}
	if err != nil {
		return nil, err
	}
	return &final.Outcome, sameOutcome(&final.Outcome, &want.Outcome)
}

// sameOutcome compares what final.json has with what the closing row has.
func sameOutcome(final, row *record.Outcome) error {
	var got, want map[string]json.RawMessage
	for _, x := range []struct {
		from *record.Outcome
		to   *map[string]json.RawMessage
	}{{final, &got}, {row, &want}} {
		data, err := json.Marshal(x.from)
		if err == nil {
			err = json.Unmarshal(data, x.to)
		}
		if err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if !bytes.Equal(got[key], want[key]) {
			return fmt.Errorf("final.json has %s %s, the closing row of the journal says %s", key, excerpt(got[key]), excerpt(want[key]))
		}
	}
	return nil
}

func excerpt(v json.RawMessage) string {
	if len(v) > 60 {
		return string(v[:60]) + "..."
	}
	return cmp.Or(string(v), "null")
}

// Verify compares everything of a run that figures are taken from with the hashes
// that the run recorded.
func Verify(rec *store.Record) error {
	_, err := Summarize(rec)
	return err
}

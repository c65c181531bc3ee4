package names

import (
	"strings"
	"testing"
)

func TestDecodeJSONNamesWhatIsWrong(t *testing.T) {
	type Outcome struct {
		Rows map[string]int `json:"rows"`
	}
	var doc struct {
		Outcome
		Seed   uint64            `json:"seed"`
		Name   string            `json:"name"`
		Scores []float64         `json:"scores"`
		Done   bool              `json:"done"`
		Keys   map[string]string `json:"keys"`
		Inner  struct {
			Steps int `json:"steps"`
		} `json:"inner"`
	}
	for text, want := range map[string]string{
		`{"seed": "x"}`:               "seed: a text, want a whole number",
		`{"seed": 1.5}`:               "seed: a number 1.5, want a whole number",
		`{"name": 3}`:                 "name: a number, want a text",
		`{"name": {}}`:                "name: an object, want a text",
		`{"scores": true}`:            "scores: true or false, want a list",
		`{"scores": ["x"]}`:           ": a text, want a number",
		`{"done": []}`:                "done: a list, want true or false",
		`{"keys": 1}`:                 "keys: a number, want an object",
		`{"inner": {"steps": "ten"}}`: "inner.steps: a text, want a whole number",
		`{"rows": {"a": "b"}}`:        "rows: a text, want a whole number",
		`[]`:                          "the document: a list, want an object",
		`{"seed": 1,}`:                "at byte 12: invalid character",
		``:                            "unexpected end of JSON input",
	} {
		err := DecodeJSON([]byte(text), &doc)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Go ") {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if err := DecodeJSON([]byte(`{"seed": 7, "more": 1}`), &doc); err != nil || doc.Seed != 7 {
		t.Errorf("a whole document: seed %d, %v", doc.Seed, err)
	}
}

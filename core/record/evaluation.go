package record

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"macpro/core/metrics"
	"macpro/core/names"
)

// Generalization is the name of the evaluation on tasks that were never trained.
const Generalization = "generalization"

// Evaluation is a test of a run's networks apart from its training: on tasks that
// were never trained, or with other settings of the test.
type Evaluation struct {
	Run  string   `json:"run"`
	Name string   `json:"name"`
	Sets []string `json:"sets,omitempty"` // key=value, as given to the test
	// TEnv is the step of the checkpoint, Checkpoint the digest of its parts.
	TEnv       int64  `json:"t_env"`
	Checkpoint string `json:"checkpoint"`
	// ConfigHash is that of the configuration that the test was made with. Edited
	// says that config.yaml was another one than the run was recorded with.
	ConfigHash string           `json:"config_hash,omitempty"`
	Edited     bool             `json:"edited,omitempty"`
	Asked      *Asked           `json:"asked,omitempty"` // nil: it is not known
	Tests      []EvaluationTest `json:"tests"`
	// Digest is the SHA-256 of the evaluation without it. Fields that come later must
	// be left out of JSON when they are empty.
	Digest string `json:"digest,omitempty"`
}

// Asked is what an evaluation was asked for and how much came of it.
type Asked struct {
	Tasks    string `json:"tasks"`
	Modes    string `json:"modes"`           // "" for all of the method
	Given    int    `json:"given,omitempty"` // episodes of one test, 0 for test_nepisode
	Tests    int    `json:"tests"`
	Episodes int    `json:"episodes"` // of all tests
}

// EvaluationTest is one task in one mode.
type EvaluationTest struct {
	Task string `json:"task"`
	// Index is that of the task in the sequence, -1 outside of it; nil: it is not
	// known, and the first task of that name is meant.
	Index    *int           `json:"index,omitempty"`
	Mode     string         `json:"mode"`
	Seen     bool           `json:"seen"`
	Episodes int            `json:"episodes"`
	Score    metrics.Number `json:"score"`
	*TestStats
	Rows []Played `json:"rows,omitempty"` // every episode
}

// Count completes what was asked for with what came of it.
func (a Asked) Count(tests []EvaluationTest) Asked {
	a.Tests, a.Episodes = len(tests), 0
	for _, t := range tests {
		a.Episodes += t.Episodes
	}
	return a
}

// plain is the same with the default written out.
func (a Asked) plain() Asked {
	a.Tasks = cmp.Or(a.Tasks, "seen")
	return a
}

// Whole tells whether the evaluation is of a run, has all its tests and was made
// as name, sets and asked say.
func (e *Evaluation) Whole(run, name string, sets []string, asked Asked) bool {
	return e.Run == run && e.Name == name && slices.Equal(e.Sets, sets) && !e.Edited && e.Asked != nil &&
		len(e.Tests) > 0 && e.Asked.plain() == asked.Count(e.Tests).plain()
}

// File is the name of the evaluation's file, without a folder. Evaluations that
// differ in anything but what came out have different ones.
func (e *Evaluation) File() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %+v\n", e.Checkpoint, e.ConfigHash, e.Sets, e.Asked)
	for _, t := range e.Tests {
		fmt.Fprintf(h, "%q %q %d\n", t.Task, t.Mode, t.Episodes)
	}
	name := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r < ' ' {
			return '_'
		}
		return r
	}, e.Name)
	return fmt.Sprintf("%d-%s-%x.json", e.TEnv, name, h.Sum(nil)[:4])
}

// Brief is the evaluation without its episodes and all statistics but the score.
func (e Evaluation) Brief() Evaluation {
	e.Tests = slices.Clone(e.Tests)
	for i := range e.Tests {
		e.Tests[i].TestStats, e.Tests[i].Rows = nil, nil
	}
	e.Asked, e.Digest = nil, ""
	return e
}

// Encode returns the content of the evaluation's file.
func (e Evaluation) Encode() (data []byte, err error) {
	if e.Digest, err = e.digest(); err != nil {
		return nil, err
	}
	data, err = json.MarshalIndent(e, "", " ")
	return append(data, '\n'), err
}

// DecodeEvaluation reads the content of an evaluation's file. One that was changed
// since Encode wrote it is an error.
func DecodeEvaluation(data []byte) (e Evaluation, err error) {
	if err := names.DecodeJSON(data, &e); err != nil {
		return e, err
	}
	want, err := e.digest()
	if err == nil && e.Digest != want {
		err = errors.New("it was changed after it was written")
	}
	return e, err
}

func (e Evaluation) digest() (string, error) {
	e.Digest = ""
	data, err := json.Marshal(e)
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}

// Prefer sorts evaluations so that of those with one name the one that counts
// comes first: the latest checkpoint, then the most episodes.
func Prefer(list []Evaluation) {
	episodes := func(e *Evaluation) int { return Asked{}.Count(e.Tests).Episodes }
	slices.SortStableFunc(list, func(a, b Evaluation) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), slices.Compare(a.Sets, b.Sets),
			cmp.Compare(b.TEnv, a.TEnv), cmp.Compare(episodes(&b), episodes(&a)), strings.Compare(a.File(), b.File()))
	})
}

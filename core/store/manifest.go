package store

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"macpro/core/names"
	"macpro/core/record"
)

// Manifest says what a run is. Create fills ID, Created (if zero), Status, PID
// and Host; the rest is the caller's.
type Manifest struct {
	ID string `json:"id"`
	// Name is what the user calls the run, "" for nothing. No other run of its
	// results has the name.
	Name    string    `json:"name,omitempty"`
	Created time.Time `json:"created"`

	Alg      string `json:"alg"`
	Env      string `json:"env"`
	Learner  string `json:"learner"`
	Ablation string `json:"ablation,omitempty"`
	Sequence string `json:"sequence"`
	Seed     int64  `json:"seed"`
	// TMax is the budget of training transitions over all tasks.
	TMax int64 `json:"t_max,omitempty"`

	ConfigHash string `json:"config_hash"` // over the whole configuration
	GroupHash  string `json:"group_hash"`  // the same without the seed: runs that may be averaged
	EnvHash    string `json:"env_hash"`    // over the constants of all tasks
	// Tasks are those of the run in the order of training.
	Tasks []Task `json:"tasks,omitempty"`
	// Profile and Compat are overlays, which ConfigHash does not cover. Unhashed
	// are the keys that it leaves out because they are at their neutral value.
	Profile  string   `json:"profile,omitempty"`
	Compat   string   `json:"compat,omitempty"`
	Unhashed []string `json:"unhashed"`
	// Overridden are the keys with other values than the profile's.
	Overridden []string `json:"overridden"`

	// Origin is the run that this one goes out from, nil for none. Budgets are the
	// changes of its budget, in their order.
	Origin  *Origin  `json:"origin,omitempty"`
	Budgets []Budget `json:"budgets,omitempty"`

	Versions Versions `json:"versions"`
	Argv     []string `json:"argv"`

	Status record.Status `json:"status"`
	// LastError is the message of the last failure. It stays when the run is
	// resumed, as part of its history.
	LastError string `json:"last_error,omitempty"`
	Resumed   int    `json:"resumed"` // how many times
	// Journal describes the whole journal of a run that is done.
	Journal *JournalMark `json:"journal,omitempty"`
	Ended   time.Time    `json:"ended,omitzero"`
	PID     int          `json:"pid"`
	Host    string       `json:"host"`
}

// Task is a task of a run with the hash of its constants.
type Task struct {
	Name string `json:"name"`
	Hash string `json:"constants"`
}

// JournalMark is the length of a journal and its JournalDigest.
type JournalMark struct {
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"`
}

// Versions are those of everything that can change a result.
type Versions struct {
	Macpro  string          `json:"macpro"`
	Go      string          `json:"go"`
	Plugins []PluginVersion `json:"plugins"`
}

// PluginVersion identifies a plugin; Hash is the SHA-256 of its executable, ""
// for one that is compiled in.
type PluginVersion struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Version string `json:"version"`
	Hash    string `json:"hash,omitempty"`
}

// runsDir is the folder of a results root that holds the runs.
func runsDir(root string) string { return filepath.Join(root, "runs") }

// claim makes a new folder for a run and returns the id that was free. The
// random end keeps ids apart when folders of several machines are merged.
func claim(fsys FS, root string, m *Manifest) (string, error) {
	runs := runsDir(root)
	if err := fsys.MkdirAll(runs); err != nil {
		return "", err
	}
	// What is above the root may not be ours to sync.
	_ = fsys.SyncDir(filepath.Dir(filepath.Clean(root)))
	if err := fsys.SyncDir(root); err != nil {
		return "", err
	}
	for range 1000 {
		var b [3]byte
		if _, err := rand.Read(b[:]); err != nil {
			return "", err
		}
		id := fmt.Sprintf("%s-%s-%s-s%d-%s-%s", plainName(m.Alg), plainName(m.Env), plainName(m.Learner),
			m.Seed, m.Created.UTC().Format("20060102T150405"), hex.EncodeToString(b[:]))
		err := fsys.Mkdir(filepath.Join(runs, id))
		if err == nil {
			return id, fsys.SyncDir(runs)
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("no free name for a run in %s", runs)
}

// plainName makes a short word of letters, digits, '_' and '.'.
func plainName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' {
			return r
		}
		return '_'
	}, s)
	return s[:min(len(s), 40)]
}

// readManifest reads and checks the manifest of a run's folder.
func readManifest(fsys FS, dir string) (Manifest, error) {
	var m Manifest
	name := filepath.Join(dir, "manifest.json")
	data, err := ReadFile(fsys, name)
	if err != nil {
		return m, err
	}
	if err := names.DecodeJSON(data, &m); err != nil {
		return m, fmt.Errorf("%s is damaged: %w", name, err)
	}
	if !m.Status.Known() {
		return m, fmt.Errorf("%s: status %q is not one of %q", name, m.Status, record.Statuses())
	}
	if m.ID == "" || m.ID == "." || m.ID == ".." || strings.ContainsAny(m.ID, "/\\") || strings.ContainsFunc(m.ID, unicode.IsControl) {
		return m, fmt.Errorf("%s: the id %q is not the name of a run", name, m.ID)
	}
	return m, nil
}

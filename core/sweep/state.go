package sweep

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/store"
)

// Status is the state of a cell.
type Status string

// The states of cells. A pruned cell was given up by ASHA, the run of a diverged one
// can only diverge again; both count as ended.
const (
	Pending     Status = "pending"
	Running     Status = "running"
	Done        Status = "done"
	Failed      Status = "failed"
	Interrupted Status = "interrupted"
	Pruned      Status = "pruned"
	Diverged    Status = "diverged"
)

// Statuses in the order in which they are shown.
var Statuses = []Status{Pending, Running, Done, Failed, Interrupted, Pruned, Diverged}

// Ended says that a cell needs no more work.
func (s Status) Ended() bool { return s == Done || s == Pruned || s == Diverged }

// State is the content of cell.json.
type State struct {
	Status   Status `json:"status"`
	Run      string `json:"run,omitempty"`    // id of the cell's run
	Reused   bool   `json:"reused,omitempty"` // the run was there before the sweep
	Attempts int    `json:"attempts"`         // processes that were started
	Error    string `json:"error,omitempty"`
	// Tail is the end of the log of a cell that failed.
	Tail []string `json:"tail,omitempty"`
	// Rungs holds the scores at the rungs of ASHA, by transitions; NaN before the
	// first test.
	Rungs   map[int64]metrics.Number `json:"rungs,omitempty"`
	Host    string                   `json:"host,omitempty"`
	PID     int                      `json:"pid,omitempty"`
	Updated time.Time                `json:"updated"`
}

// State reads the state of a cell. A cell whose state cannot be read is pending:
// its run is found again by its configuration.
func (s *Sweep) State(c *Cell) State {
	st := s.stored(c)
	if st.Status == Running {
		held, err := s.FS.Locked(s.cellPath(c, "lock"))
		if err != nil {
			st.Status, st.Error = Interrupted, fmt.Sprintf("whether process %d on %s goes on cannot be told: %v", st.PID, st.Host, err)
		} else if !held {
			if st = s.stored(c); st.Status == Running { // it has not ended between the two looks
				st.Status = Interrupted
				st.Error = cmp.Or(st.Error, fmt.Sprintf("process %d on %s ended without a word", st.PID, st.Host))
			}
		}
	}
	if text := s.changed(c, st); text != "" {
		st.Run, st.Error = "", text
	}
	return st
}

// changed says why the run of a cell that has not ended is no longer the cell's: a
// longer budget makes it a run of another configuration. "" if it still is.
func (s *Sweep) changed(c *Cell, st State) string {
	if st.Status.Ended() || st.Run == "" {
		return ""
	}
	rec, err := store.Find(s.FS, s.Root, st.Run)
	if err != nil || rec.Manifest.ConfigHash == c.ConfigHash {
		return ""
	}
	return fmt.Sprintf("run %s has another budget by now; the cell begins again in a new run", st.Run)
}

func (s *Sweep) stored(c *Cell) State {
	var st State
	data, err := store.ReadFile(s.FS, s.cellPath(c, "cell.json"))
	if err != nil || json.Unmarshal(data, &st) != nil || !slices.Contains(Statuses, st.Status) {
		return State{Status: Pending}
	}
	return st
}

// put writes the state of a cell, whose lock the caller holds.
func (s *Sweep) put(c *Cell, st State) error {
	st.Updated = time.Now().UTC().Truncate(time.Second)
	st.Host, st.PID = host(), os.Getpid()
	data, err := json.MarshalIndent(st, "", " ")
	if err != nil {
		return err
	}
	return store.WriteFile(s.FS, s.cellPath(c, "cell.json"), append(data, '\n'))
}

// prune ends a cell that has not ended.
func (s *Sweep) prune(c *Cell) error {
	lock, err := s.lock(c)
	if err != nil {
		return fmt.Errorf("cell %s: %w", c.ID, err)
	}
	st := s.stored(c)
	st.Status, st.Error = Pruned, ""
	return errors.Join(s.put(c, st), lock.Close())
}

func (s *Sweep) lock(c *Cell) (io.Closer, error) {
	return s.FS.Lock(s.cellPath(c, "lock"), fmt.Sprintf("pid %d on %s", os.Getpid(), host()))
}

func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown host"
	}
	return name
}

// Counts is how many cells are in each state.
func (s *Sweep) Counts() map[Status]int {
	n := map[Status]int{}
	for _, c := range s.Cells {
		n[s.State(c).Status]++
	}
	return n
}

// Unfinished says what keeps a sweep from being complete; nil if nothing does. A
// diverged cell does, although nothing can be done about it; in a search that has
// found something it is what was looked for.
func (s *Sweep) Unfinished() error {
	n := s.Counts()
	found := s.Search.Adaptive() && n[Done] > 0
	maps.DeleteFunc(n, func(st Status, _ int) bool { return st == Done || st == Pruned || st == Diverged && found })
	if len(n) == 0 {
		return nil
	}
	text := ""
	for _, st := range Statuses {
		if n[st] > 0 {
			text += fmt.Sprintf(", %d %s", n[st], st)
		}
	}
	return fmt.Errorf("sweep %s is not complete: of %s%s", s.ID, names.Many(len(s.Cells), "cell"), text[1:])
}

// Over says that no cell is under way or waits to be: what is left has failed.
func (s *Sweep) Over() bool {
	n := s.Counts()
	return n[Pending]+n[Running]+n[Interrupted] == 0
}

// Forget removes the states of cells whose finished run is gone, so that they are
// made again, and opens those that lack an evaluation or have a damaged one.
func (s *Sweep) Forget(runs *Runs) error {
	for _, c := range s.Cells {
		if s.stored(c).Status != Done {
			continue
		}
		lock, err := s.lock(c)
		if _, locked := errors.AsType[*store.LockedError](err); locked {
			continue
		}
		if err != nil {
			return err
		}
		switch st := s.stored(c); {
		case st.Status != Done:
		case !runs.done(c, st.Run):
			err = s.FS.Remove(s.cellPath(c, "cell.json"))
		case !s.allEvaluated(st.Run):
			st.Status = Pending
			err = s.put(c, st)
		}
		if err = errors.Join(err, lock.Close()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Outdated is an error if a cell is left to do for which a plugin of this program has
// another version than when the sweep was planned. version finds a plugin's version, ""
// for an unknown plugin. Plugins in processes of their own are known by their hash. Cells
// that were pruned or have diverged are not trained any more.
func (s *Sweep) Outdated(version func(kind, name string) string) error {
	for _, c := range s.Cells {
		for _, p := range c.Plugins {
			now := version(p.Kind, p.Name)
			if p.Hash != "" || now == "" || now == p.Version {
				continue
			}
			if st := s.State(c).Status; st != Done && st != Pruned && st != Diverged {
				return fmt.Errorf("sweep %s was planned with version %s of %s %s, and this program has version %s: go on with the program that planned it, or plan it anew under another --name",
					s.ID, p.Version, p.Kind, p.Name, now)
			}
		}
	}
	return nil
}

package conform

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"macpro/core"
	"macpro/core/names"
	"macpro/core/rng"
)

// toy is an environment that passes the suite, or commits one named fault:
// two agents see a counter that moves by their actions; action 2 is available
// on odd steps only; the counter at 14 wins.
type toy struct {
	fault string
	tasks []string
}

func newToy(fault string) toy { return toy{fault, []string{"near", "far"}} }

func (p toy) has(fault string) bool { return p.fault == fault }

func (p toy) Info() core.Info {
	i := core.Info{Name: "toy", Summary: "counts", Version: "1", Config: []byte("env_args: {prize: 1.0}\n"),
		Schema: []core.Field{{Key: "env_args.prize", Kind: core.Float, Help: "what 14 pays"}}}
	if p.has("no version") {
		i.Version = ""
	}
	return i
}

func (p toy) Tasks(s core.Settings) (core.TaskList, error) {
	if p.has("changes settings") {
		s["env_args.prize"] = 2.0
	}
	seq := slices.Clone(p.tasks)
	if p.has("lends its list") {
		seq = p.tasks
	}
	l := core.TaskList{Sequences: map[string][]string{"train": seq}, Params: map[string][]core.Param{}}
	for _, t := range []string{"near", "far"} {
		l.Params[t] = []core.Param{{Name: "prize", Value: fmt.Sprint(s["env_args.prize"])}}
	}
	switch p.fault {
	case "no params":
		delete(l.Params, "far")
	case "tests what it trains":
		l.Generalization = []string{"far"}
	}
	return l, nil
}

func (p toy) Open(task string, lanes int, s core.Settings) (core.Env, error) {
	if lanes < 1 {
		return nil, errors.New("no lanes")
	}
	if task != "near" && task != "far" {
		switch {
		case p.has("opens anything"):
			task = "near"
		case p.has("names no task"):
			return nil, errors.New("unknown task")
		default:
			return nil, names.Unknown("task", task, []string{"near", "far"})
		}
	}
	prize, _ := s["env_args.prize"].(float64)
	hashed := fmt.Sprint(task, prize)
	if p.has("hash without prize") {
		hashed = task
	}
	h := sha256.Sum256([]byte(hashed))
	spec := core.EnvSpec{Env: "toy", Task: task, Agents: 2, Actions: 3, ObsWidth: 2, StateWidth: 1, Limit: 8,
		Score: core.ScoreReturn, MaxReturn: prize, Hash: hex.EncodeToString(h[:])}
	switch p.fault {
	case "no limit":
		spec.Limit = 0
	case "one hash":
		spec.Hash = fmt.Sprintf("%064d", 0)
	case "wrong entities":
		spec.Entities = &core.Entities{NonAttack: 3, Move: 1, OwnObs: 1, AllyObs: 1, AllyState: 1}
	}
	return &toyEnv{toy: p, spec: spec, prize: float32(prize), lanes: make([]toyLane, lanes)}, nil
}

type toyLane struct {
	t, count int
	running  bool
}

type toyEnv struct {
	toy
	spec  core.EnvSpec
	prize float32
	lanes []toyLane
}

func (e *toyEnv) Spec() core.EnvSpec { return e.spec }
func (e *toyEnv) Close() error       { return nil }

func (e *toyEnv) check(lanes []int, f *core.Frame) error {
	if len(f.Reward) != len(e.lanes) {
		return errors.New("another frame")
	}
	for _, l := range lanes {
		if l < 0 || l >= len(e.lanes) {
			return fmt.Errorf("lane %d does not exist", l)
		}
	}
	return nil
}

func (e *toyEnv) Reset(lanes []int, seeds []uint64, f *core.Frame) error {
	if len(seeds) != len(lanes) {
		return errors.New("seeds")
	}
	if err := e.check(lanes, f); err != nil {
		return err
	}
	for i, l := range lanes {
		r, stale := rng.FromSeed(seeds[i]), e.lanes[l].count
		e.lanes[l] = toyLane{count: r.Intn(3), running: true}
		switch e.fault {
		case "remembers":
			e.lanes[l].count += stale % 2
		case "ignores seeds":
			e.lanes[l].count = 1
		case "lane matters":
			e.lanes[l].count += l
		}
		e.show(l, f)
	}
	return nil
}

func (e *toyEnv) legal(lanes []int, a []int32, f *core.Frame) error {
	if len(a) != 2*len(e.lanes) {
		return errors.New("actions")
	}
	if err := e.check(lanes, f); err != nil {
		return err
	}
	for _, l := range lanes {
		if !e.lanes[l].running && !e.has("steps after the end") {
			return fmt.Errorf("lane %d does not run", l)
		}
		for i, u := range a[2*l : 2*l+2] {
			switch {
			case u == 2 && e.has("takes unavailable actions"):
			case u >= 0 && u < 2 || u == 2 && e.lanes[l].t%2 == 1:
			case e.has("names no agent"):
				return fmt.Errorf("lane %d: action %d", l, u)
			default:
				return fmt.Errorf("lane %d, agent %d: action %d", l, i, u)
			}
		}
	}
	return nil
}

func (e *toyEnv) Step(lanes []int, a []int32, f *core.Frame) error {
	if e.has("moves before it refuses") && len(lanes) == 3 {
		e.lanes[1].count++
	}
	if err := e.legal(lanes, a, f); err != nil {
		return err
	}
	for _, l := range lanes {
		w := &e.lanes[l]
		w.t++
		w.count += int(a[2*l] + a[2*l+1])
		if e.has("allocates") {
			sink = make([]byte, 64)
		}
		if e.has("shares a world") {
			w.count += int(toyWorld.Add(1))
		}
		f.Reward[l], f.Terminated[l] = 0, w.count >= 14
		if f.Terminated[l] {
			f.Reward[l] = e.prize
		}
		f.Truncated[l] = !f.Terminated[l] && w.t >= e.spec.Limit
		f.Won[l] = f.Terminated[l]
		e.spoil(l, w, f)
		w.running = !f.Terminated[l] && !f.Truncated[l]
		e.show(l, f)
	}
	return nil
}

var (
	sink     []byte
	toyWorld atomic.Int64 // what all instances of a faulty toy share
)

// spoil commits the faults of a step.
func (e *toyEnv) spoil(l int, w *toyLane, f *core.Frame) {
	switch e.fault {
	case "cuts early":
		f.Truncated[l] = f.Truncated[l] || w.t == 3 && !f.Terminated[l]
	case "never cuts":
		f.Truncated[l] = false
	case "two ends":
		f.Truncated[l] = f.Terminated[l]
	case "pays every step":
		f.Reward[l] = e.prize
	case "wins early":
		f.Won[l] = true
	}
}

func (e *toyEnv) show(l int, f *core.Frame) {
	w := e.lanes[l]
	for i := range 2 {
		o := f.Obs[4*l+2*i:]
		o[0], o[1] = float32(w.count), float32(i)
		a := f.Avail[6*l+3*i:]
		a[0], a[1], a[2] = 1, 1, uint8(w.t%2)
	}
	f.State[l] = float32(w.count)
	switch e.fault {
	case "shows NaN":
		f.State[l] = float32(math.NaN())
	case "writes other lanes":
		f.State[len(f.State)-1] = 1
	case "no action left":
		f.Avail[6*l], f.Avail[6*l+1] = 0, 0
	case "bad mask":
		f.Avail[6*l] = 2
	}
}

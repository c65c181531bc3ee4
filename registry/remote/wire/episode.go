package wire

import (
	"errors"
	"fmt"
	"slices"

	"macpro/core/episode"
)

// FromEpisode encodes an episode; the message shares its memory.
func FromEpisode(e *episode.Episode) *Episode {
	return &Episode{
		Task: int64(e.Task), Head: int64(e.Head), Index: e.Index, Seed: e.Seed,
		T: int64(e.T), N: int64(e.N), A: int64(e.A), ObsWidth: int64(e.ObsWidth), StateWidth: int64(e.StateWidth),
		Obs: Bytes(e.Obs), State: Bytes(e.State), Avail: e.Avail, Actions: Bytes(e.Actions), Reward: Bytes(e.Reward),
		Terminated: e.Terminated, Won: e.Won,
	}
}

// FromLean encodes an episode without its observations, states, masks and
// actions; the message shares its memory.
func FromLean(e *episode.Episode) *Episode {
	lean := *e
	lean.Obs, lean.State, lean.Avail, lean.Actions = nil, nil, nil, nil
	return FromEpisode(&lean)
}

// ToLean decodes what FromLean encodes.
func ToLean(m *Episode) (*episode.Episode, error) {
	e, err := toEpisode(m)
	if err == nil && len(e.Reward) != e.T {
		err = fmt.Errorf("episode %d: %d rewards for %d transitions", e.Index, len(e.Reward), e.T)
	}
	return e, err
}

// ToEpisode decodes an episode and checks its shapes.
func ToEpisode(m *Episode) (*episode.Episode, error) {
	e, err := toEpisode(m)
	if err != nil {
		return nil, err
	}
	return e, e.Check()
}

func toEpisode(m *Episode) (*episode.Episode, error) {
	e := &episode.Episode{
		Task: int(m.GetTask()), Head: int(m.GetHead()), Index: m.GetIndex(), Seed: m.GetSeed(),
		T: int(m.GetT()), N: int(m.GetN()), A: int(m.GetA()), ObsWidth: int(m.GetObsWidth()), StateWidth: int(m.GetStateWidth()),
		Avail: slices.Clone(m.GetAvail()), Terminated: m.GetTerminated(), Won: m.GetWon(),
	}
	var errs [4]error
	e.Obs, errs[0] = Numbers[float32]("observations", m.GetObs())
	e.State, errs[1] = Numbers[float32]("states", m.GetState())
	e.Actions, errs[2] = Numbers[int32]("actions", m.GetActions())
	e.Reward, errs[3] = Numbers[float32]("rewards", m.GetReward())
	if err := errors.Join(errs[:]...); err != nil {
		return nil, fmt.Errorf("episode %d: %w", e.Index, err)
	}
	return e, nil
}

// FromEpisodes encodes episodes; the messages share their memory.
func FromEpisodes(list []*episode.Episode) []*Episode {
	out := make([]*Episode, len(list))
	for i, e := range list {
		out[i] = FromEpisode(e)
	}
	return out
}

// ToEpisodes decodes episodes and checks their shapes; nil for none.
func ToEpisodes(list []*Episode) ([]*episode.Episode, error) {
	var out []*episode.Episode
	for _, m := range list {
		e, err := ToEpisode(m)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

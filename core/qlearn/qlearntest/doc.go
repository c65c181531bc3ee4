// Package qlearntest helps to test learners and mixers: default settings, random
// episodes, and a bench that runs a mixer by itself.
package qlearntest

import (
	"fmt"
	"maps"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/episode"
	"macpro/core/qlearn"
	"macpro/core/rng"
)

// Settings are the defaults of the keys that all learners share, with some of
// them replaced and others added.
func Settings(replace core.Settings) (core.Settings, error) {
	s, err := config.Defaults(configs.Default, configs.Read(configs.Default), config.Schema(qlearn.Config{}))
	if err != nil {
		return nil, err
	}
	maps.Copy(s, replace)
	return s, nil
}

// Spec is a small task: n agents, 4 actions, observations of 5 and states of 6
// floats, at most 8 transitions.
func Spec(n int) core.EnvSpec {
	return core.EnvSpec{Env: "toy", Task: "small", Agents: n, Actions: 4, ObsWidth: 5, StateWidth: 6, Limit: 8}
}

// Entities is a small task made of entities: n agents against m enemies, 3+m
// actions, at most 8 transitions.
func Entities(n, m int) core.EnvSpec {
	e := core.Entities{NonAttack: 3, Move: 2, OwnObs: 2, Enemies: m, EnemyObs: 4, AllyObs: 3, EnemyState: 2, AllyState: 3}
	A := e.NonAttack + m
	return core.EnvSpec{
		Env: "toy", Task: fmt.Sprintf("%d_vs_%d", n, m), Agents: n, Actions: A, Limit: 8, Entities: &e,
		ObsWidth:   e.Move + m*e.EnemyObs + (n-1)*e.AllyObs + e.OwnObs,
		StateWidth: n*e.AllyState + m*e.EnemyState + n*A,
	}
}

// Episode makes an episode of T transitions with normal features and rewards.
// Every agent has a random set of available actions and takes one of them; the
// end is terminal or not with equal odds.
func Episode(s *rng.Stream, spec core.EnvSpec, T int, index int64) *episode.Episode {
	e := &episode.Episode{
		Index: index, T: T, N: spec.Agents, A: spec.Actions, ObsWidth: spec.ObsWidth, StateWidth: spec.StateWidth,
		Obs:        Normals(s, (T+1)*spec.Agents*spec.ObsWidth),
		State:      Normals(s, (T+1)*spec.StateWidth),
		Avail:      make([]uint8, (T+1)*spec.Agents*spec.Actions),
		Actions:    make([]int32, T*spec.Agents),
		Reward:     Normals(s, T),
		Terminated: s.Intn(2) == 0,
	}
	for r := range (T + 1) * spec.Agents {
		avail := e.Avail[r*spec.Actions : (r+1)*spec.Actions]
		for a := range avail {
			avail[a] = uint8(s.Intn(2))
		}
		taken := s.Intn(spec.Actions)
		avail[taken] = 1
		if r < len(e.Actions) {
			e.Actions[r] = int32(taken)
		}
	}
	return e
}

// Episodes makes n episodes of random lengths up to the task's limit.
func Episodes(s *rng.Stream, spec core.EnvSpec, n int) []*episode.Episode {
	var eps []*episode.Episode
	for i := range n {
		eps = append(eps, Episode(s, spec, 1+s.Intn(spec.Limit), int64(i)))
	}
	return eps
}

// Normals draws n standard normal numbers.
func Normals(s *rng.Stream, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(s.Norm())
	}
	return x
}

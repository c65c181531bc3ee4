package qlearn_test

import (
	"encoding/json"
	"maps"
	"testing"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/qlearn"
)

// jsonCase is a part of a file that is decoded when it is needed.
type jsonCase json.RawMessage

func (c *jsonCase) UnmarshalJSON(b []byte) error {
	*c = append((*c)[:0], b...)
	return nil
}

func (c jsonCase) decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(c, into); err != nil {
		t.Fatal(err)
	}
}

// settings are the defaults of the shared keys with some of them replaced.
func settings(replace core.Settings) core.Settings {
	s, err := config.Defaults(configs.Default, configs.Read(configs.Default), config.Schema(qlearn.Config{}))
	if err != nil {
		panic(err)
	}
	maps.Copy(s, replace)
	return s
}

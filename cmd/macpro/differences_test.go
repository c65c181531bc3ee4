package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/registry"
	"macpro/registry/experiment"
)

// defaultsOfAll are the defaults of the keys of every run and of all built-in
// plugins; methods share some keys, of which that of macpro counts.
func defaultsOfAll(t *testing.T) core.Settings {
	t.Helper()
	all := core.Settings{}
	add := func(file string, data []byte, fields []core.Field) {
		s, err := config.Defaults(file, data, fields)
		if err != nil {
			t.Fatal(err)
		}
		maps.Copy(all, s)
	}
	add(configs.Default, configs.Read(configs.Default), experiment.SharedFields())
	for _, k := range experiment.Kinds() {
		for _, p := range k.Plugins {
			add(p.Name, p.Config, p.Schema)
		}
	}
	m, _ := registry.Methods.Get("macpro")
	add("macpro", m.Info().Config, m.Info().Schema)
	for _, f := range config.Schema(config.Choice{}) {
		all[f.Key] = ""
	}
	return all
}

var quoted = regexp.MustCompile("`([^`]+)`")

// Every row of docs/differences.md has its number, a key that exists or none, and
// the key's default. Every key that a compat file sets has a row.
func TestDifferencesNameWhatExists(t *testing.T) {
	text, err := os.ReadFile("../../docs/differences.md")
	if err != nil {
		t.Fatal(err)
	}
	known, listed, number := defaultsOfAll(t), map[string]bool{}, 0
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 9 {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		n, err := strconv.Atoi(cells[1])
		if err != nil {
			continue
		}
		if number++; n != number {
			t.Errorf("row %d comes after %d rows", n, number-1)
		}
		key := quoted.FindStringSubmatch(cells[5])
		switch {
		case cells[5] == "":
			if cells[6] != "" {
				t.Errorf("row %d has the default %s of no key", n, cells[6])
			}
			continue
		case key == nil || key[0] != cells[5]:
			t.Errorf("row %d: %q is not one key", n, cells[5])
			continue
		}
		listed[key[1]] = true
		v, ok := known[key[1]]
		if !ok {
			t.Errorf("row %d: there is no key %s", n, key[1])
		} else if got := fmt.Sprint(v); v != "" && !config.SameValue(got, cells[6]) {
			t.Errorf("row %d: the default of %s is %s, not %s", n, key[1], got, cells[6])
		}
	}
	if number < 57 {
		t.Errorf("%d rows", number)
	}
	for _, name := range configs.Names("compat") {
		for _, key := range experiment.Mentioned(configs.Read("compat/" + name + ".yaml")) {
			if !listed[key] {
				t.Errorf("compat %s sets %s, which has no row", name, key)
			}
		}
	}
}

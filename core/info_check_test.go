package core

import (
	"slices"
	"strings"
	"testing"
)

func TestInfoCheck(t *testing.T) {
	good := func() Info {
		return Info{Name: "maze", Summary: "two agents in a maze", Version: "1", Schema: []Field{{Key: "env_args.width", Kind: Int, Help: "cells", Enum: []string{"a"}}}}
	}
	if err := good().Check(); err != nil {
		t.Fatal(err)
	}
	const red, long = "\x1b[31mred", "x"
	for says, change := range map[string]func(*Info){
		"a name must not be empty":                           func(i *Info) { i.Name = "" },
		`the name "a b" must be one word`:                    func(i *Info) { i.Name = "a b" },
		`the name "\x1b[31mred" holds`:                       func(i *Info) { i.Name = red },
		"summary and version must be given":                  func(i *Info) { i.Version = "" },
		`the summary "\x1b[31mred" holds`:                    func(i *Info) { i.Summary = red },
		"the summary has 5000 bytes, want at most 4096":      func(i *Info) { i.Summary = strings.Repeat(long, 5000) },
		`the version "1\n" holds`:                            func(i *Info) { i.Version = "1\n" },
		"its configuration has 1048577 bytes":                func(i *Info) { i.Config = make([]byte, MaxConfig+1) },
		"the number of its keys is 1025, want 0 to 1024":     func(i *Info) { i.Schema = slices.Repeat(i.Schema, MaxFields+1) },
		`of kind "integer", want one of`:                     func(i *Info) { i.Schema[0].Kind = "integer" },
		"its help is empty":                                  func(i *Info) { i.Schema[0].Help = "" },
		`its help "\x1b[31mred" holds`:                       func(i *Info) { i.Schema[0].Help = red },
		`a value (enum) "\x1b[31mred" holds`:                 func(i *Info) { i.Schema[0].Enum = []string{"a", red} },
		`its neutral value "\x1b[31mred" holds`:              func(i *Info) { i.Schema[0].Neutral = red },
		`its condition "\x1b[31mred" holds`:                  func(i *Info) { i.Schema[0].Only = red },
		`key "\x1b[31mred": the name "\x1b[31mred" holds`:    func(i *Info) { i.Schema[0].Key = red },
		"the number of its values (enum) is 1025, want 0 to": func(i *Info) { i.Schema[0].Enum = make([]string, MaxFields+1) },
	} {
		i := good()
		change(&i)
		err := i.Check()
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
			continue
		}
		if strings.ContainsRune(err.Error(), '\x1b') {
			t.Errorf("the error itself holds an escape code: %q", err)
		}
	}
}

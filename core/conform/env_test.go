package conform

import (
	"strings"
	"testing"
)

func TestSuitePassesASoundEnv(t *testing.T) {
	Env(t, newToy(""), Defaults(t, newToy("").Info()))
}

// TestSuiteFindsEveryFault feeds each check plugins with one fault.
func TestSuiteFindsEveryFault(t *testing.T) {
	for _, c := range []struct{ fault, check, want string }{
		{"no version", "info", "version"},
		{"no params", "lists", "params are given for"},
		{"tests what it trains", "lists", "is trained and yet"},
		{"lends its list", "lists", "changed the plugin's own"},
		{"opens anything", "unknown task", "was opened"},
		{"names no task", "unknown task", "must quote it"},
		{"no limit", "specs", "the episode limit is 0, want 1 to"},
		{"one hash", "specs", "have one hash"},
		{"wrong entities", "specs", "add up to"},
		{"shows NaN", "episodes", "not finite"},
		{"writes other lanes", "episodes", "lane 2 was written"},
		{"no action left", "episodes", "agent 0 has no available action"},
		{"bad mask", "episodes", "not 0 or 1"},
		{"cuts early", "episodes", "truncated after 3 steps"},
		{"never cuts", "episodes", "no end after"},
		{"two ends", "episodes", "at once"},
		{"pays every step", "episodes", "exceeds the largest"},
		{"wins early", "episodes", "won before the end"},
		{"remembers", "seeds", "one seed, two episodes"},
		{"ignores seeds", "seeds", "start alike"},
		{"lane matters", "lanes", "alone and in lane 3"},
		{"steps after the end", "refusals", "before the first reset"},
		{"takes unavailable actions", "refusals", "an unavailable action was accepted"},
		{"names no agent", "refusals", `does not mention "agent 1"`},
		{"moves before it refuses", "refusals", "changed the episode"},
		{"shares a world", "instances", "beside other instances"},
		{"hash without prize", "hash", "one hash, but"},
		{"allocates", "allocations", "allocations per step"},
	} {
		t.Run(c.fault, func(t *testing.T) {
			err := one(t, envChecks, c.check, envSubject{newToy(c.fault), Defaults(t, newToy("").Info())})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("check %q: want an error with %q, got %v", c.check, c.want, err)
			}
		})
	}
}

func TestSettingsBelongToTheCaller(t *testing.T) {
	s := Defaults(t, newToy("").Info())
	before := Defaults(t, newToy("").Info())
	if _, err := newToy("changes settings").Tasks(s); err != nil {
		t.Fatal(err)
	}
	if sameSettings(before, s) == nil {
		t.Error("a changed setting went unnoticed")
	}
}

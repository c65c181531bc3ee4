package config

import (
	"strings"
	"testing"

	"macpro/core"
)

type sample struct {
	Steps  int64   `cfg:"steps" min:"1" help:"steps"`
	Gamma  float64 `cfg:"gamma" min:"0" max:"1" help:"discount"`
	Double bool    `cfg:"double" help:"double Q"`
	Init   word    `cfg:"init" enum:"copy,reset" help:"start"`
	nested
	Plain int
}

type nested struct {
	Tasks []string `cfg:"env_args.tasks" enum:"a,b" help:"tasks"`
	Sizes []int    `cfg:"sizes" max:"9" help:"sizes"`
}

type word string

func TestSchemaFollowsTheStruct(t *testing.T) {
	var got []string
	for _, f := range Schema(&sample{}) {
		got = append(got, f.Key+":"+string(f.Kind))
	}
	want := "steps:int gamma:float double:bool init:string env_args.tasks:strings sizes:ints"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	f := Schema(sample{})[1]
	if f.Help != "discount" || *f.Min != 0 || *f.Max != 1 {
		t.Errorf("gamma: %+v", f)
	}
}

func TestSchemaRefusesBadStructs(t *testing.T) {
	for name, v := range map[string]any{
		"not a struct": 3,
		"not one of": struct {
			A uint8 `cfg:"a" help:"h"`
		}{},
		"exported": struct {
			a int `cfg:"a" help:"h"`
		}{},
		"lower-case": struct {
			A int `cfg:"A" help:"h"`
		}{},
		"help is": struct {
			A int `cfg:"a"`
		}{},
		"enum needs": struct {
			A int `cfg:"a" enum:"b" help:"h"`
		}{},
		"min needs": struct {
			A string `cfg:"a" min:"1" help:"h"`
		}{},
		"is not a num": struct {
			A int `cfg:"a" max:"x" help:"h"`
		}{},
		"neutral: 7 is out of range": struct {
			A int `cfg:"a" max:"1" neutral:"7" help:"h"`
		}{},
		"twice": struct {
			A int `cfg:"a" help:"h"`
			B int `cfg:"a" help:"h"`
		}{},
	} {
		msg := func() (m string) {
			defer func() { m, _ = recover().(string) }()
			Schema(v)
			return ""
		}()
		if !strings.Contains(msg, name) {
			t.Errorf("want a panic about %q, got %q", name, msg)
		}
	}
}

func settings() core.Settings {
	return core.Settings{
		"steps": 500, "gamma": .9, "double": true, "init": "reset", "other": nil,
		"env_args.tasks": []string{"a", "b"}, "sizes": []int{1, 2},
	}
}

func TestDecodeFillsTaggedFields(t *testing.T) {
	s := settings()
	got := sample{Plain: 7}
	if err := Decode(s, &got); err != nil {
		t.Fatal(err)
	}
	if got.Steps != 500 || got.Gamma != .9 || !got.Double || got.Init != "reset" ||
		strings.Join(got.Tasks, "") != "ab" || len(got.Sizes) != 2 || got.Plain != 7 {
		t.Errorf("%+v", got)
	}
	got.Sizes[0] = 9
	if s["sizes"].([]int)[0] != 1 {
		t.Error("lists must be copied")
	}
}

func TestDecodeReportsEverythingAtOnce(t *testing.T) {
	s := settings()
	delete(s, "steps")
	s["gamma"], s["double"], s["init"], s["sizes"] = 1.5, 1, "rest", []int{3, 10}
	var got sample
	err := Decode(s, &got)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		`"steps" is not set`, "gamma: 1.5 is out of range, want 0 to 1", "double: 1 is not a truth value",
		`unknown value "rest", did you mean "reset"?`, "sizes: 10 is out of range, want at most 9",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing in %v", want, err)
		}
	}
	if got.Tasks != nil {
		t.Error("a failed Decode must not change the struct")
	}
	if Decode(s, got) == nil || Decode(s, nil) == nil {
		t.Error("accepted something that is not a pointer to a struct")
	}
}

// A condition is another key's value or a fact about the tasks.
func TestConditionsOfKeys(t *testing.T) {
	for only, bad := range map[string]bool{"": false, "flat": false, "entities a.b=c": false, "tasks=[]": false, "round": true, "A=b": true, "=c": true} {
		if err := checkOnly(only); (err != nil) != bad {
			t.Errorf("%q: %v", only, err)
		}
	}
	if got, want := When("flat a=b c=[]"), "where observations are flat and with a=b and c=[]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

package config

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"macpro/core/rng"
)

// What is written without a look at YAML's rules is what they ask for.
func TestFlowIsYAML(t *testing.T) {
	values := []any{true, false, 0, -5, math.MaxInt, 0.0, math.Copysign(0, -1), 1e-5, 1e21, 1.5, math.MaxFloat64, math.SmallestNonzeroFloat64, "", "a b", "5", "0x1", "~", "é"}
	s := rng.New(1).Stream()
	for range 500 {
		values = append(values, s.Intn(1<<40)-1<<39, math.Ldexp(s.Uniform(-1, 1), s.Intn(400)-200))
	}
	for _, a := range "abefinoxyz_05" { // all words of up to three of these
		for _, b := range " abefinoxyz_05" {
			for _, c := range " abefinoxyz_05" {
				values = append(values, strings.ReplaceAll(string([]rune{a, b, c}), " ", ""))
			}
		}
	}
	for _, w := range []string{"true", "null", "false", "yes", "none", "inf", "nan", "True", "NULL", "Off"} {
		values = append(values, w)
	}
	for _, v := range values {
		if got, want := flow(v), marshalled(valueNode(v)); got != want {
			t.Errorf("%#v is written as %s, want %s", v, got, want)
		}
	}
}

// The file of a configuration has its values, whatever is in a text.
func TestYAMLHoldsEveryText(t *testing.T) {
	type section struct {
		Text  string   `cfg:"a.text" help:"x"`
		Deep  string   `cfg:"a.b.c" help:"x"`
		Other string   `cfg:"on.y" help:"x"`
		Last  []string `cfg:"z" help:"x"`
	}
	for _, text := range []string{"plain", "two\nlines", "\n  led\n\nby blanks ", "# no comment", "a: b", "tab\t", "null", "'"} {
		r := request("")
		r.Shared = append(r.Shared, Schema(section{})...)
		r.Default = append(r.Default, "\na: {text: x, b: {c: x}}\non: {y: x}\nz: []\n"...)
		as := quoted(text)
		r.User.Sets = append(r.User.Sets, "a.text="+as, "a.b.c="+as, "on.y="+as, "z=["+as+"]")
		var got struct {
			A struct {
				Text string
				B    struct{ C string }
			}
			On struct {
				Y string `yaml:"y"`
			} `yaml:"on"`
			Z []string
		}
		c := load(t, r)
		if err := yaml.Unmarshal(c.YAML(), &got); err != nil {
			t.Errorf("%q: %v in\n%s", text, err, c.YAML())
		}
		if got.A.Text != text || got.A.B.C != text || got.On.Y != text || !reflect.DeepEqual(got.Z, []string{text}) {
			t.Errorf("%q became %+v in\n%s", text, got, c.YAML())
		}
	}
}

// Runs that share a stem do not share what their users set.
func TestStem(t *testing.T) {
	r := request("")
	s := Prepare(r)
	for _, sets := range [][]string{{"lr=0.5"}, nil, {"lr=0.25", "tasks=[a]"}, {"lr=x"}, nil} {
		r.User.Sets = sets
		a, errA := Load(r)
		b, errB := s.Load(r.Choices, r.User)
		if (errA == nil) != (errB == nil) || errA != nil && errA.Error() != errB.Error() {
			t.Fatalf("%v: %v and %v", sets, errA, errB)
		}
		if errA == nil && (a.Hash() != b.Hash() || string(a.YAML()) != string(b.YAML()) || !reflect.DeepEqual(a.History("lr"), b.History("lr"))) {
			t.Errorf("%v: %s and %s", sets, a.YAML(), b.YAML())
		}
	}
}

package config

import (
	"slices"
	"strings"
	"testing"

	"macpro/core"
)

// stepKeys has a key with a list for keys below it.
type stepKeys struct {
	Steps  int      `cfg:"steps" min:"1" below:"extra" help:"h"`
	Extra  []string `cfg:"extra" neutral:"[]" help:"h"`
	Others string   `cfg:"others" help:"h"`
}

// below loads a request with stepKeys, a user's file and arguments.
func below(t *testing.T, file string, sets ...string) (*Config, error) {
	t.Helper()
	r := Request{Env: core.Info{Name: "e"}, Shared: Schema(stepKeys{}), Default: []byte("steps: 5\nextra: []\nothers: x\n"), User: User{Sets: sets}}
	if file != "" {
		r.User.File = write(t, file)
	}
	return Load(r)
}

func TestKeysBelow(t *testing.T) {
	plain, err := below(t, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file string
		sets []string
		want []string
	}{
		{"steps: {13m: 200000, 4m: 7}", nil, []string{"13m=200000", "4m=7"}},
		{"steps:\n  13m: 2e5\n", []string{"steps=9"}, []string{}}, // a plain value means every name
		{"steps: {13m: 1, 4m: 3}", []string{"steps=9", "steps.4m=2"}, []string{"4m=2"}},
		{"steps: {13m: 1}", []string{"steps=9", "extra=[4m=2]"}, []string{"4m=2"}},
		{"steps: 9\nextra: [13m=1]", nil, []string{"13m=1"}}, // as a recorded configuration has it
		{"", []string{"steps.13m=200", "steps.4m=7"}, []string{"13m=200", "4m=7"}},
		{"", []string{"steps={13m: 200, 4m: 7}"}, []string{"13m=200", "4m=7"}},
		{"extra: [13m=200]", nil, []string{"13m=200"}},
		{"steps: {13m: 1}", []string{"extra=[4m=2]"}, []string{"4m=2"}},        // a list is replaced whole
		{"steps: {13m: 1}", []string{"steps.4m=2"}, []string{"13m=1", "4m=2"}}, // keys below a key join
		{"steps: {13m: 1, 4m: 3}", []string{"steps.13m=2"}, []string{"4m=3", "13m=2"}},
		{"extra: [13m=1]", []string{"steps.13m=2"}, []string{"13m=2"}},
		{"steps: {13m: 1}", []string{"extra=[]"}, []string{}},
	} {
		got, err := below(t, c.file, c.sets...)
		if err != nil {
			t.Errorf("%q %q: %v", c.file, c.sets, err)
			continue
		}
		v, _ := got.Get("extra")
		if !slices.Equal(v.([]string), c.want) {
			t.Errorf("%q %q: %v, want %v", c.file, c.sets, v, c.want)
		}
		if steps, _ := got.Get("steps"); (got.Hash() == plain.Hash()) != (len(c.want) == 0 && steps == 5) {
			t.Errorf("%q %q: the same hash as without: %v", c.file, c.sets, got.Hash() == plain.Hash())
		}
	}
	for _, c := range []struct {
		file string
		sets []string
		want string
	}{
		{"steps: {13m: 1}\nextra: [4m=2]", nil, "extra is set twice: by itself and by keys below another one"},
		{"steps: {13m: [1, 2]}", nil, "steps.13m: a list stands where a single value belongs"},
		{"steps: {13m: null}", nil, "steps.13m: the value is missing"},
		{"steps: {13m: 1, 13m: 2}", nil, "steps.13m is set twice"},
		{"others: {a: 1}", nil, `"others" is a text and has no keys below it`},
		{"", []string{"steps={13m}"}, "steps.13m: the value is missing"},
		{"", []string{"steps.13m=x"}, "steps.13m: "},
		{"steps: {13m: 0}", nil, "steps.13m: "},
	} {
		if _, err := below(t, c.file, c.sets...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q %q: %v, want %q", c.file, c.sets, err, c.want)
		}
	}
}

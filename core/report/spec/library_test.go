package spec

import (
	"image/color"
	"strings"
	"testing"
	"testing/fstest"

	"macpro/core/palette"
)

// A figure that cannot be drawn is refused when it is read, with its file's name.
func TestBadFiguresAreRefused(t *testing.T) {
	for text, reason := range map[string]string{
		"draw: serie": `did you mean "series"`,
		"draw: series\npanels: [{value: dorment}]": `did you mean "dormant"`,
		"draw: series":                                "list them in panels",
		"draw: rows\ntable: plasti":                   "unknown table",
		"draw: average\npanel: [a]":                   "figures/x.yaml",
		"title: x":                                    "draw what? want one of average, tasks",
		"draw: average":                               "lines: want items, list or of",
		"draw: tasks\nlines: {list: metods}":          `there is no list "metods"`,
		"draw: average\nlines: {of: configuration}":   `did you mean "configurations"`,
		"draw: average\nlines: {of: tasks}":           "unknown word of",
		"draw: average\nlines: {items: [{color: x}]}": "an item has neither",
	} {
		_, err := Open(fstest.MapFS{
			"tables/names.yaml": {Data: []byte("figures: [x]\n")}, "figures/x.yaml": {Data: []byte(text)},
		}, []byte("{}"))
		if err == nil || !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), "figures/x.yaml") {
			t.Errorf("%q: %v, want %s", text, err, reason)
		}
	}
}

// A value of a key that an axis adds to its list has the label of the vocabulary, or its own name.
func TestNamesOfOtherMethods(t *testing.T) {
	lib, err := Open(fstest.MapFS{"tables/names.yaml": {Data: []byte(
		"lists: {methods: [{key: a, label: A, color: blue}]}\nrest: {alg: [{key: b, label: B, color: teal}]}\n")}}, []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	for key, label := range map[string]string{"a": "A", "b": "B", "c": "c"} {
		if got := lib.MethodLabel(key); got != label {
			t.Errorf("%s is called %s, want %s", key, got, label)
		}
	}
	item, other := lib.RestItem("alg", "b"), lib.RestItem("lr", "b")
	if item.Label != "B" || item.When[0]["alg"][0] != "b" || other.Label != "" || other.When[0]["lr"][0] != "b" {
		t.Errorf("%+v, %+v", item, other)
	}
	for key, want := range map[string]color.NRGBA{"a": palette.Blue, "b": {0x00, 0x5f, 0x5f, 0xff}, "zz": palette.Named("zz")} {
		if got := lib.ColorOf(key); got != want {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
}

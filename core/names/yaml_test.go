package names_test

import (
	"strings"
	"testing"

	"macpro/core/names"
)

type table struct {
	Title  string            `yaml:"title"`
	Rows   axis              `yaml:"rows"`
	Paper  map[string][]cite `yaml:"paper"`
	Single *table            `yaml:"single"`
}

type axis struct {
	Of    string `yaml:"of"`
	Items []item `yaml:"items"`
}

type item struct {
	Label string `yaml:"label"`
}

type cite struct {
	Path string `yaml:"path,omitempty"`
}

func TestDecodeYAML(t *testing.T) {
	var got table
	if err := names.DecodeYAML([]byte("title: x\npaper: {a: [{path: p}]}\nsingle: {title: y}\n"), &got, "a table"); err != nil {
		t.Fatal(err)
	}
	if got.Title != "x" || got.Paper["a"][0].Path != "p" || got.Single.Title != "y" {
		t.Errorf("%+v", got)
	}
	if err := names.DecodeYAML([]byte("# nothing\n"), &got, "a table"); err != nil || got.Title != "x" {
		t.Errorf("an empty file: %v, %+v", err, got)
	}
}

// Errors know the keys of the part of the document that they are about.
func TestDecodeYAMLNamesWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"titel: x":                     `line 1: unknown key "titel", did you mean "title"? (known: title, rows, paper, single)`,
		"rows: {off: x}":               `line 1: unknown key "off", did you mean "of"? (known: of, items)`,
		"rows:\n  items: [{lable: x}]": `line 2: unknown key "lable", did you mean "label"? (known: label)`,
		"paper: {a: [{pth: x}]}":       `unknown key "pth", did you mean "path"? (known: path)`,
		"single: {titel: x}":           `did you mean "title"?`,
		"titel: x\nrows: {off: x}":     `"title"? (known: title, rows, paper, single); line 2: unknown key "off"`,
		"rows: [1]":                    "line 1: this has another form than in a table",
		"- title":                      "line 1: this has another form than in a table",
		"title: x\n---\ntitle: y":      "line 2: a second document starts here; want one, a table",
		"title: [x":                    "did not find",
		"title: x\n---\n: [":           "did not find",
		"title: @x":                    "or a value begins with a character such as @",
	} {
		err := names.DecodeYAML([]byte(text), &table{}, "a table")
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "names_test") {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"macpro/registry"
	"macpro/registry/experiment"
)

// pluginWords are the names of all plugins and the keys that they declare, with
// their owners. Keys that all runs share are none of them.
func pluginWords() map[string]string {
	words := map[string]string{}
	for _, k := range experiment.Kinds() {
		for _, p := range k.Plugins {
			words[p.Name] = k.Word + " " + p.Name
			for _, f := range p.Schema {
				words[f.Key] = "a key of " + k.Word + " " + p.Name
			}
		}
	}
	for _, name := range registry.Ablations.Names() {
		words[name] = "ablation " + name
	}
	for _, f := range experiment.SharedFields() {
		delete(words, f.Key)
	}
	return words
}

// The core knows no plugin by name: neither the name of a plugin nor a key that one
// declares stands as a text in it. Conformance suites and what only tests use are
// free to.
func TestCoreNamesNoPlugin(t *testing.T) {
	words := pluginWords()
	if len(words) < 60 || words["pp"] == "" {
		t.Fatalf("only %d words", len(words))
	}
	root := filepath.Join("..", "..", "core")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"conform", "report/internal"}, filepath.ToSlash(name)), d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		for _, found := range textsOf(t, path) {
			for _, word := range wordsOf(found.text) {
				place := filepath.ToSlash(name) + " " + word
				if owner := words[word]; owner != "" && !slices.Contains(slices.Concat(stillNamed, homonyms), place) {
					t.Errorf("core/%s:%d: %q names %s, %s", filepath.ToSlash(name), found.line, found.text, word, owner)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// stillNamed are places that name a plugin and must not, as "file text".
var stillNamed = []string{}

// homonyms are the core's own words, which some plugin uses, too: kinds of journal
// rows and a strategy of sweeps.
var homonyms = []string{"record/rows.go expansion", "record/row.go latents", "sweep/expand.go random"}

// wordsOf are the text itself and, in a longer one such as a message, the words that
// can only be keys because of their underscores.
func wordsOf(text string) []string {
	out := []string{text}
	for _, w := range regexp.MustCompile(`[a-z0-9]+(_[a-z0-9]+)+`).FindAllString(text, -1) {
		if w != text {
			out = append(out, w)
		}
	}
	return out
}

type foundText struct {
	text string
	line int
}

// textsOf lists the string literals of a file, without imports and struct tags.
func textsOf(t *testing.T, path string) []foundText {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var out []foundText
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			n.Tag = nil
		case *ast.BasicLit:
			if n.Kind != token.STRING {
				break
			}
			text, err := strconv.Unquote(n.Value)
			if err != nil {
				t.Fatal(fmt.Errorf("%s: %w", path, err))
			}
			out = append(out, foundText{text, fset.Position(n.Pos()).Line})
		}
		return true
	})
	return out
}

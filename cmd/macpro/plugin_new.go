package main

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"macpro/core/files"
	"macpro/core/names"
	"macpro/core/store"
	"macpro/registry/remote"
	"macpro/registry/remote/manifest"
	"macpro/registry/remote/process"
	"macpro/sdk"
)

// skeletons holds working plugins as templates, a folder a kind and language.
//
//go:embed skeletons
var skeletons embed.FS

type newOptions struct{ lang, name, source string }

func newPluginNew() *cobra.Command {
	var o newOptions
	cmd := &cobra.Command{
		Use:   "new env|method|learner|ablation FOLDER",
		Short: "Write a working plugin to start from, with its manifest and its test",
		Long: `Writes a small plugin that passes "macpro plugin check" into a new folder. Go
plugins build against the sources of macpro, whose folder --source names;
Python plugins get a copy of the kit, and need grpcio and protobuf; methods and
learners also need numpy.`,
		Example: `  macpro plugin new env ./maze
  macpro plugin new env ./maze --lang python
  macpro plugin new method ./mymethod --source ~/src/macpro
  macpro plugin new method ./mymethod --lang python`,
		Args: exactly(2, " env|method|learner|ablation FOLDER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeSkeleton(cmd.OutOrStdout(), args[0], args[1], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.lang, "lang", "go", "go or python")
	f.StringVar(&o.name, "name", "", "name of the plugin (default the folder's)")
	f.StringVar(&o.source, "source", "", "folder of macpro's sources, for Go (default the working folder if it is that)")
	return cmd
}

// skeletonOf says which templates a kind and language have.
func skeletonOf(kind, lang string) (string, error) {
	if !slices.Contains(remote.Kinds(), kind) {
		return "", names.Unknown("kind", kind, remote.Kinds())
	}
	if langs := []string{"go", "python"}; !slices.Contains(langs, lang) {
		return "", names.Unknown("language", lang, langs)
	}
	return "skeletons/" + kind + "-" + lang, nil
}

var plainWord = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// writeSkeleton fills the templates into a new folder.
func writeSkeleton(w io.Writer, kind, folder string, o newOptions) error {
	from, err := skeletonOf(kind, o.lang)
	if err != nil {
		return usage(err)
	}
	if o.name == "" {
		o.name = strings.ReplaceAll(filepath.Base(filepath.Clean(folder)), "-", "_")
	}
	if !plainWord.MatchString(o.name) {
		return usage(fmt.Errorf("%q cannot be a plugin's name: want lower-case letters, digits and _; choose one with --name", o.name))
	}
	if _, err := os.Stat(folder); !errors.Is(err, fs.ErrNotExist) {
		return usage(fmt.Errorf("%s exists already", folder))
	}
	files := map[string]string{} // templates by the name of the file
	entries, err := skeletons.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		files[strings.TrimSuffix(e.Name(), ".tmpl")] = from + "/" + e.Name()
	}
	command := []string{"python3", "plugin.py"}
	next := fmt.Sprintf("macpro plugin check %s --write", names.ShellWord(folder))
	if o.lang == "go" {
		if o.source, err = sourceOf(o.source); err != nil {
			return usage(err)
		}
		files["go.mod"] = "skeletons/go.mod.tmpl"
		command = []string{"./" + o.name}
		next = fmt.Sprintf("cd %s && go mod tidy && go build -o %s . && macpro plugin check . --write", names.ShellWord(folder), o.name)
	}
	for name, tmpl := range files {
		if err := fillTemplate(filepath.Join(folder, name), tmpl, o); err != nil {
			return err
		}
	}
	if o.lang == "python" {
		if err := copyKit(folder); err != nil {
			return err
		}
	}
	m := manifest.Manifest{
		Kind: kind, Name: o.name, Summary: "a new plugin", Version: "1", Protocol: process.Protocol, Command: command,
	}
	data, err := m.Encode()
	if err != nil {
		return err
	}
	if err := store.WriteFile(store.OS(), filepath.Join(folder, manifest.FileName), data); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "wrote a working %s plugin to %s; build and check it by\n  %s\n", kind, folder, next)
	return err
}

// copyKit puts the Python kit beside a plugin's script.
func copyKit(folder string) error {
	return fs.WalkDir(sdk.Python, sdk.PythonRoot, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := sdk.Python.ReadFile(name)
		if err != nil {
			return err
		}
		return store.WriteFile(store.OS(), filepath.Join(folder, strings.TrimPrefix(name, sdk.PythonRoot+"/")), data)
	})
}

func fillTemplate(file, name string, o newOptions) error {
	t, err := template.New(path.Base(name)).Delims("<<", ">>").ParseFS(skeletons, name)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, struct{ Name, Source string }{o.name, o.source}); err != nil {
		return err
	}
	return store.WriteFile(store.OS(), file, b.Bytes())
}

// sourceOf finds the folder of macpro's sources.
func sourceOf(dir string) (string, error) {
	named := dir != ""
	if !named {
		dir = "."
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	data, err := files.Read(filepath.Join(abs, "go.mod"))
	if err == nil && strings.HasPrefix(string(data), "module macpro\n") {
		return abs, nil
	}
	if named {
		return "", fmt.Errorf("--source %s is not the folder of macpro's sources: it has no go.mod of module macpro", dir)
	}
	return "", errors.New("a plugin in Go builds against the sources of macpro: name their folder with --source")
}

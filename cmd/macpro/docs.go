package main

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"macpro/configs"
	"macpro/core"
	"macpro/core/config"
	"macpro/core/names"
	"macpro/core/store"
	"macpro/registry/experiment"
)

func newDocs() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Print reference pages that follow from the program itself",
		Args:  exactly(0, " keys"),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newDocsKeys())
	return cmd
}

func newDocsKeys() *cobra.Command {
	var kind, file string
	var schema bool
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Print all keys of a configuration with type, default, bounds and meaning",
		Long: `Prints every key that a configuration can have: those of all runs, then those of the
built-in environments, methods and learners. The default of a key is that of a run
without a profile. --json-schema prints a JSON schema, with which editors check and
complete files for --config.`,
		Example: `  macpro docs keys
  macpro docs keys --format md -o keys.md
  macpro docs keys --json-schema -o macpro.schema.json`,
		Args: exactly(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			columns := 0
			if file == "" {
				columns = columnsOf(cmd.OutOrStdout())
			}
			text := func(w io.Writer, s []keySection) error { return keysText(w, s, listWidth(columns)) }
			write := map[string]func(io.Writer, []keySection) error{"text": text, "md": keysMarkdown}[kind]
			switch {
			case schema && cmd.Flags().Changed("format"):
				return usage(errors.New("--json-schema has a format of its own: leave --format out"))
			case schema:
				write = keysSchema
			case write == nil:
				return usage(names.Unknown("format", kind, []string{"text", "md"}))
			}
			sections, err := keySections()
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := write(&b, sections); err != nil {
				return err
			}
			if file != "" {
				return store.WriteOutput(file, b.Bytes())
			}
			if kind == "text" && !schema {
				return fit(cmd.OutOrStdout(), b.String())
			}
			_, err = cmd.OutOrStdout().Write(b.Bytes())
			return err
		},
	}
	cmd.Flags().StringVar(&kind, "format", "text", "text or md")
	cmd.Flags().BoolVar(&schema, "json-schema", false, "print a JSON schema for editors")
	cmd.Flags().StringVarP(&file, "output", "o", "", "file to write")
	return cmd
}

type keySection struct {
	Title string
	Keys  []keyDoc
}

// keyDoc is a key with its default as a file has it.
type keyDoc struct {
	core.Field
	Default string
}

// keySections lists the keys of all runs and of every built-in plugin that has some.
func keySections() ([]keySection, error) {
	shared, err := documented("every run", append(config.Schema(config.Choice{}), experiment.SharedFields()...), configs.Read(configs.Default))
	if err != nil {
		return nil, err
	}
	usual := map[string]string{"env": "", "alg": experiment.DefaultAlg(), "learner": "qmix", "profile": "reduced", "compat": "default", "ablation": "none"}
	for i, k := range shared.Keys {
		if v, ok := usual[k.Key]; ok {
			shared.Keys[i].Default = v
		}
	}
	out := []keySection{shared}
	for _, kind := range experiment.Kinds() {
		for _, info := range kind.Plugins {
			if len(info.Schema) == 0 {
				continue
			}
			s, err := documented(kind.Word+" "+info.Name, info.Schema, info.Config)
			if err != nil {
				return nil, err
			}
			out = append(out, s)
		}
	}
	return out, nil
}

// documented joins keys with the defaults of their owner's file.
func documented(title string, fields []core.Field, file []byte) (keySection, error) {
	defaults, err := config.ReadRecorded("the file of "+title, file)
	if err != nil {
		return keySection{}, err
	}
	s := keySection{Title: title}
	for _, f := range fields {
		value, _, _ := strings.Cut(defaults.Values[f.Key], " #") // a list comes with its comment
		s.Keys = append(s.Keys, keyDoc{f, value})
	}
	return s, nil
}

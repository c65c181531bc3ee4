package core

import (
	"errors"
	"fmt"
	"slices"

	"macpro/core/names"
)

// The largest description of a plugin.
const (
	MaxFields = 1 << 10 // keys of a plugin
	MaxConfig = 1 << 20 // bytes of its configuration file
)

// Kinds lists the kinds of configuration values.
func Kinds() []Kind { return []Kind{Bool, Int, Float, String, Strings, Ints} }

// Check says what is wrong with a plugin's description, if anything. It is the one
// test of manifests, of what a process says of itself and of what is compiled in.
// Config is left to package config, which reads it.
func (i Info) Check() error {
	if err := names.Check(i.Name); err != nil {
		return err
	}
	if i.Summary == "" || i.Version == "" {
		return errors.New("name, summary and version must be given")
	}
	if len(i.Config) > MaxConfig {
		return fmt.Errorf("its configuration has %d bytes, want at most %d", len(i.Config), MaxConfig)
	}
	if err := errors.Join(plainText("the summary", i.Summary), plainText("the version", i.Version)); err != nil {
		return err
	}
	if err := InRange("the number of its keys", int64(len(i.Schema)), 0, MaxFields); err != nil {
		return err
	}
	for _, f := range i.Schema {
		if err := f.check(); err != nil {
			return fmt.Errorf("schema: key %q: %w", shortened(f.Key), err)
		}
	}
	return nil
}

func (f Field) check() error {
	if err := names.Check(f.Key); err != nil {
		return err
	}
	switch {
	case !slices.Contains(Kinds(), f.Kind):
		return fmt.Errorf("it is of kind %q, want one of %v", shortened(string(f.Kind)), Kinds())
	case f.Help == "":
		return errors.New("its help is empty")
	}
	err := errors.Join(InRange("the number of its values (enum)", int64(len(f.Enum)), 0, MaxFields),
		plainText("its help", f.Help), plainText("its neutral value", f.Neutral), plainText("its condition", f.Only))
	for _, e := range f.Enum {
		err = errors.Join(err, plainText("a value (enum)", e))
	}
	return err
}

// plainText is an error for a text that is too long or not safe to print.
func plainText(what, text string) error {
	if err := checkText(what, text); err != nil {
		return err
	}
	if names.Plain(text) != text {
		return fmt.Errorf("%s %q holds characters that no screen shows", what, shortened(text))
	}
	return nil
}

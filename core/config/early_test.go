package config

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"macpro/core"
)

func TestEarly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.yaml")
	if err := os.WriteFile(file, []byte("size: 3\nsection:\n  names: [a]\nunknown: x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	fields := Schema(struct {
		Size  int      `cfg:"size" help:"size"`
		Names []string `cfg:"section.names" help:"names"`
		Other bool     `cfg:"other" help:"other"`
	}{})
	got, err := Early(User{File: file, Sets: []string{"section.names=[b, c]"}}, fields)
	if want := (core.Settings{"size": 3, "section.names": []string{"b", "c"}}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	if _, err := Early(User{Sets: []string{"size=big"}}, fields); err == nil {
		t.Error("a size that is no number was accepted")
	}
}

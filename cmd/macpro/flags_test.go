package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every flag of every verb that is a number is read as a configuration's numbers
// are, and what is none is refused in their words.
func TestNumbersOfFlags(t *testing.T) {
	var collect func(path []string, cmd *cobra.Command)
	flags := 0
	collect = func(path []string, cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			kind := f.Value.Type()
			want := map[string]string{"int": "whole number", "int64": "whole number", "float64": "a number"}[kind]
			if want == "" {
				if strings.Contains(kind, "int") || strings.Contains(kind, "float") || kind == "duration" {
					t.Errorf("%v --%s is a %s, which this test does not know", path, f.Name, kind)
				}
				return
			}
			flags++
			for text, as := range map[string]string{"1e2": "100", "0100": "", "5x": "", "1e999": "", "0x10": ""} {
				f.Value.(*onceValue).given = false
				err := f.Value.Set(text)
				if as != "" && (err != nil || f.Value.String() != as) {
					t.Errorf("%v --%s %s is %s: %v", path, f.Name, text, f.Value, err)
				}
				if as == "" && (err == nil || strings.Contains(err.Error(), "strconv") || !strings.Contains(err.Error(), text)) {
					t.Errorf("%v --%s %s: %v", path, f.Name, text, err)
				}
			}
		})
		for _, c := range cmd.Commands() {
			collect(append(path, c.Name()), c)
		}
	}
	collect(nil, newRoot())
	if flags < 10 {
		t.Errorf("%d flags were looked at", flags)
	}
	got := macpro(t, t.TempDir(), nil, words("sweep --env lbf --first-rung ten")...)
	if got.Code != exitUsage || !strings.Contains(got.Stderr, `invalid argument "ten" for "--first-rung" flag: "ten" is not a whole number, such as 5000 or 5e3`) {
		t.Errorf("%+v", got)
	}
}

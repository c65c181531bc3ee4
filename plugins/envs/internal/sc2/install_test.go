package sc2

import (
	"os"
	"path/filepath"
	"testing"

	"macpro/core"
	"macpro/plugins/envs/internal/sc2/sc2test"
	"macpro/plugins/envs/internal/skirmish"
	"macpro/plugins/envs/internal/skirmish/battle"
)

// tree makes a folder with the given files, which are executable.
func tree(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range files {
		sc2test.Write(t, filepath.Join(root, f), "MPQ", 0o755)
	}
	return root
}

// Whatever is missing has a sentence of its own.
func TestMissingParts(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	const program = "Versions/Base69232/SC2_x64"
	plain := tree(t, "Versions/Base69232/readme")
	soft := tree(t)
	sc2test.Write(t, filepath.Join(soft, program), "", 0o644)
	lfs := tree(t, program)
	sc2test.Write(t, filepath.Join(lfs, "Maps/SMAC_Maps/3m.SC2Map"), "version https://git-lfs", 0o644)
	for name, c := range map[string]struct {
		path  string // env_args.sc2_path
		env   string // SC2PATH
		set   func(*Config)
		words []string
	}{
		"nothing set":   {words: []string{"SC2PATH is not set", "StarCraftII does not exist", "docs/starcraft.md", "embedded"}},
		"no folder":     {env: "/nowhere/StarCraftII", words: []string{"SC2PATH /nowhere/StarCraftII is not a folder"}},
		"no folder set": {path: "/nowhere", env: plain, words: []string{"env_args.sc2_path /nowhere is not a folder"}},
		"no versions":   {env: tree(t, "readme"), words: []string{"holds no folder Versions/Base<number>"}},
		"no program":    {env: plain, words: []string{"SC2PATH", "has no program", program}},
		"not a program": {env: soft, words: []string{program, "is not an executable file"}},
		"too old":       {env: tree(t, "Versions/Base55000/SC2_x64"), words: []string{"build 55000", "too old", "3.16.1"}},
		"other version": {env: tree(t, program), set: func(c *Config) { c.Version = "Base70154" },
			words: []string{"env_args.sc2_version Base70154 is not installed", "[69232]"}},
		"no version": {env: tree(t, program), set: func(c *Config) { c.Version = "newest" },
			words: []string{`env_args.sc2_version "newest" is no build`}},
		"no maps":          {env: tree(t, program), words: []string{"no maps in", "Maps/SMAC_Maps", "3m.SC2Map", "docs/starcraft.md"}},
		"wrong name":       {env: tree(t, program, "maps/SMAC_Maps/3m.SC2Map"), words: []string{"the name must be Maps"}},
		"map missing":      {env: tree(t, program, "Maps/SMAC_Maps/8m.SC2Map"), words: []string{`"3m"`, `"8m"`, "3m.SC2Map"}},
		"not a map":        {env: lfs, words: []string{"3m.SC2Map is no StarCraft II map", "does not begin with MPQ"}},
		"other map folder": {env: tree(t, program), set: func(c *Config) { c.Maps = "/my/maps" }, words: []string{"no maps in /my/maps"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("SC2PATH", c.env)
			conf := config(c.path)
			if c.set != nil {
				c.set(&conf)
			}
			_, err := Open(task(t, "3m", skirmish.Liberty()), 1, conf)
			refused(t, err, c.words...)
		})
	}
}

func TestFoundParts(t *testing.T) {
	root := tree(t, "Versions/Base69232/SC2_x64", "Versions/Base70154/SC2_x64", "Versions/Shared/x", "Maps/3m.SC2Map")
	t.Setenv("SC2PATH", root)
	other := tree(t, "3m.SC2Map")
	for name, c := range map[string]struct {
		c     Config
		build int
	}{
		"newest": {Config{}, 70154}, "asked for": {Config{Version: "Base69232"}, 69232}, "number": {Config{Version: "69232"}, 69232},
		"maps elsewhere": {Config{Maps: other}, 70154},
	} {
		in, err := find(c.c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if in.build != c.build {
			t.Errorf("%s: build %d, want %d", name, in.build, c.build)
		}
		if _, err := in.readMap("3m"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUsualPlaces(t *testing.T) {
	home := t.TempDir()
	if got := usual("linux", home); got != filepath.Join(home, "StarCraftII") {
		t.Error(got)
	}
	if got := usual("darwin", home); got != "/Applications/StarCraft II" {
		t.Error(got)
	}
	note := filepath.Join(home, "Library/Application Support/Blizzard/StarCraft II/ExecuteInfo.txt")
	sc2test.Write(t, note, "executable = /Games/SC II/Versions/Base70154/SC2.app/Contents/MacOS/SC2\n", 0o644)
	if got := usual("darwin", home); got != "/Games/SC II" {
		t.Error(got)
	}
	if got := program("darwin"); got != "SC2.app/Contents/MacOS/SC2" {
		t.Error(got)
	}
}

// The constants of the embedded engine do not mention the real game; those of the
// real one say which it is.
func TestParams(t *testing.T) {
	t.Setenv("SC2PATH", tree(t, "Versions/Base69232/SC2_x64"))
	if p := (Config{Backend: "embedded", Version: "Base1"}).Params(); p != nil {
		t.Errorf("embedded: %v", p)
	}
	want := core.Param{Name: "game", Value: "Base69232"}
	if p := (Config{Backend: Backend}).Params(); len(p) != 3 || p[1] != want {
		t.Errorf("%v", p)
	}
	os.Unsetenv("SC2PATH")
	t.Setenv("HOME", t.TempDir())
	if p := (Config{Backend: Backend, Version: "Base70154"}).Params(); p[1].Value != "Base70154" {
		t.Errorf("without a game: %v", p)
	}
}

func TestConventionsThatTheGameCannotServe(t *testing.T) {
	tk := task(t, "3m", skirmish.Lite())
	tk.Options.Style = battle.Lite
	_, err := Open(tk, 1, config(t.TempDir()))
	refused(t, err, "env_args.conventions smaclite", "use official")
	_, err = Open(task(t, "3m", skirmish.Lite()), 0, config(t.TempDir()))
	refused(t, err, "0 lanes")
}

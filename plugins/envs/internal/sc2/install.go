package sc2

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"macpro/core/files"
)

const help = "see docs/starcraft.md"

// install is a StarCraft II on disk.
type install struct {
	root   string
	build  int    // number of the folder Versions/Base<build>
	binary string // path of the program
	maps   []string
}

// oldest is build of version 3.16.1, the first that speaks the protocol; data are the
// hashes of the game data that a build needs to be told.
const oldest = 55958

var data = map[int]string{69232: "B3E14058F1083913B80C20993AC965DB"}

func (in *install) version() string { return "Base" + strconv.Itoa(in.build) }

// find looks for the game and checks that it is whole.
func find(c Config) (*install, error) {
	root, from, err := findRoot(c)
	if err != nil {
		return nil, err
	}
	in := &install{root: root}
	if in.build, err = pick(c, root, from); err != nil {
		return nil, err
	}
	in.binary = filepath.Join(root, "Versions", in.version(), program(runtime.GOOS))
	switch i, err := os.Stat(in.binary); {
	case err != nil:
		return nil, fmt.Errorf("StarCraft II: %s has no program: %w; unpack the game again (%s)", from, err, help)
	case i.IsDir() || i.Mode()&0o111 == 0:
		return nil, fmt.Errorf("StarCraft II: %s is not an executable file; its mode is %v", in.binary, i.Mode())
	}
	if c.Maps != "" {
		in.maps = []string{c.Maps}
	} else {
		in.maps = []string{filepath.Join(root, "Maps", "SMAC_Maps"), filepath.Join(root, "Maps")}
	}
	return in, nil
}

// findRoot returns the game's folder and words for where its name came from.
func findRoot(c Config) (root, from string, err error) {
	switch env := os.Getenv("SC2PATH"); {
	case c.Path != "":
		root, from = c.Path, "env_args.sc2_path "+c.Path
	case env != "":
		root, from = env, "SC2PATH "+env
	default:
		home, err := os.UserHomeDir()
		if err != nil {
			return "", "", fmt.Errorf("StarCraft II: SC2PATH is not set, and there is no home folder to look in: %w", err)
		}
		root = usual(runtime.GOOS, home)
		from = "the usual place " + root
		if _, err := os.Stat(root); err != nil {
			return "", "", fmt.Errorf("StarCraft II: SC2PATH is not set and %s does not exist; "+
				"set SC2PATH to the game's folder (%s), or use env_args.backend embedded", root, help)
		}
	}
	if root, err = filepath.Abs(root); err != nil {
		return "", "", err
	}
	if i, err := os.Stat(root); err != nil || !i.IsDir() {
		return "", "", fmt.Errorf("StarCraft II: %s is not a folder", from)
	}
	return root, from, nil
}

// usual is where the game is if nobody says otherwise. On a Mac the launcher notes
// the path of the program, three levels below the game's folder.
func usual(system, home string) string {
	if system != "darwin" {
		return filepath.Join(home, "StarCraftII")
	}
	note := filepath.Join(home, "Library", "Application Support", "Blizzard", "StarCraft II", "ExecuteInfo.txt")
	if text, err := files.Read(note); err == nil {
		if _, path, ok := strings.Cut(string(text), " = "); ok {
			if root, _, ok := strings.Cut(strings.TrimSpace(path), "/Versions/"); ok {
				return root
			}
		}
	}
	return "/Applications/StarCraft II"
}

func program(system string) string {
	if system == "darwin" {
		return filepath.Join("SC2.app", "Contents", "MacOS", "SC2")
	}
	return "SC2_x64"
}

// pick chooses among the installed builds: the build asked for, or the newest.
func pick(c Config, root, from string) (int, error) {
	builds := installed(root)
	if len(builds) == 0 {
		return 0, fmt.Errorf("StarCraft II: %s holds no folder Versions/Base<number> with a game in it; %s", from, help)
	}
	build := builds[len(builds)-1]
	if c.Version != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(c.Version, "Base"))
		if err != nil {
			return 0, fmt.Errorf("env_args.sc2_version %q is no build; Base69232 would be one", c.Version)
		}
		if !slices.Contains(builds, n) {
			return 0, fmt.Errorf("env_args.sc2_version %s is not installed; %s holds the builds %v", c.Version, from, builds)
		}
		build = n
	}
	if build < oldest {
		return 0, fmt.Errorf("StarCraft II: build %d in %s is too old: the protocol exists since 3.16.1, build %d", build, from, oldest)
	}
	return build, nil
}

func installed(root string) []int {
	list, _ := os.ReadDir(filepath.Join(root, "Versions")) // a missing folder holds no build
	var builds []int
	for _, e := range list {
		if n, err := strconv.Atoi(strings.TrimPrefix(e.Name(), "Base")); err == nil && e.IsDir() {
			builds = append(builds, n)
		}
	}
	slices.Sort(builds)
	return builds
}

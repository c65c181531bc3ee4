package experiment

import "runtime/debug"

// version is the release that this source tree becomes.
const version = "0.1.0"

// FullVersion is the release with the revision that the binary was built from, if
// it is one of this source tree's own programs.
func FullVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != "macpro" {
		return version
	}
	revision, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = "+" + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = ".dirty"
		}
	}
	return version + revision + dirty
}

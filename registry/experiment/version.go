package experiment

import "runtime/debug"

// version is the release that this source tree becomes.
const version = "0.1.0"

// FullVersion is the release with the revision that the binary was built from.
func FullVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
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

package names

import (
	"errors"
	"fmt"
	"strings"
)

// MaxLen bounds names of plugins and tasks, in bytes.
const MaxLen = 200

// Check says what is wrong with a name that a plugin gives to itself or to a task,
// if anything: names are written on command lines, in names of files and in tables.
func Check(name string) error {
	switch {
	case name == "":
		return errors.New("a name must not be empty")
	case len(name) > MaxLen:
		return fmt.Errorf("the name %s... has %d bytes, want at most %d", Plain(name[:20]), len(name), MaxLen)
	case Plain(name) != name:
		return fmt.Errorf("the name %q holds characters that no screen shows", name)
	case strings.ContainsAny(name, "/ "):
		return fmt.Errorf("the name %q must be one word without a slash", name)
	case strings.HasPrefix(name, "-"):
		return fmt.Errorf("the name %q must not begin with a dash, as flags do", name)
	}
	return nil
}

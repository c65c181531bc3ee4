package process

import (
	"fmt"
	"os"
	"path/filepath"

	"macpro/core/janitor"
)

// newJanitor makes a private folder and the janitor that removes it.
func newJanitor() (*janitor.Janitor, error) {
	dir, err := os.MkdirTemp(socketBase(), "macpro-")
	if err != nil {
		return nil, fmt.Errorf("a private folder for sockets: %w", err)
	}
	j, err := janitor.New(dir)
	if err != nil {
		return nil, fmt.Errorf("the janitor of a plugin: %w", err)
	}
	return j, nil
}

// socketBase is where private folders are made: the user's run-time folder or
// the one for temporary files, unless its name is too long for the path of a
// socket (about 100 bytes, of which the names below take 60).
func socketBase() string {
	for _, dir := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir()} {
		if i, err := os.Stat(dir); err == nil && i.IsDir() && len(dir) <= 40 && filepath.IsAbs(dir) {
			return dir
		}
	}
	return "/tmp"
}

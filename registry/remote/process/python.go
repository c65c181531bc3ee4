package process

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// python matches the names of Python interpreters.
var python = regexp.MustCompile(`^(python|pypy)[0-9.]*$`)

// Python says that a program is a Python interpreter, by its name.
func Python(program string) bool { return python.MatchString(filepath.Base(program)) }

// uncached keeps Python from the caches beside its modules, which could hold other
// code than the sources that were checked: caches live in a private folder, empty
// at the start and gone at the end. The option holds for an interpreter that
// ignores the environment (-E, -I), the variable for those that it starts.
func uncached(args []string, private string) ([]string, []string, error) {
	dir := filepath.Join(private, "python")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, nil, err
	}
	if Python(args[0]) {
		args = slices.Insert(slices.Clone(args), 1, "-X", "pycache_prefix="+dir)
	}
	return args, []string{"PYTHONPYCACHEPREFIX=" + dir}, nil
}

// Command modage lists the modules of go.mod files whose used version is more than
// a year older than the newest one.
//
//	go run ./modage .. ../examples .
//
// It informs and never fails: without a module proxy it says so.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

const year = 365 * 24 * time.Hour

func main() {
	for _, folder := range os.Args[1:] {
		if err := list(os.Stdout, folder); err != nil {
			fmt.Printf("SKIPPED %s: %v\n", folder, err)
		}
	}
}

// list prints the modules of a folder that are behind.
func list(out io.Writer, folder string) error {
	data, err := run(folder, "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var file struct {
		Module  struct{ Path string }
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return err
	}
	args := []string{"list", "-m", "-u", "-e", "-json"}
	for _, r := range file.Require {
		args = append(args, r.Path)
	}
	if data, err = run(folder, args...); err != nil {
		return err
	}
	modules, err := decode(data)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d modules\n", file.Module.Path, len(modules))
	known := false
	for _, m := range modules {
		known = known || m.Update != nil
		if line := m.behind(); line != "" {
			fmt.Fprintln(out, " ", line)
		}
	}
	if !known {
		fmt.Fprintln(out, "  none has a newer version that is known here: all are new, or there is no module proxy")
	}
	return nil
}

// module is what go list says of one module.
type module struct {
	Path, Version, Deprecated string
	Indirect                  bool
	Time                      time.Time
	Update                    *module
	Error                     *struct{ Err string }
}

// decode reads the stream of values that go list -json prints.
func decode(data []byte) ([]module, error) {
	var all []module
	for in := json.NewDecoder(bytes.NewReader(data)); ; {
		var m module
		switch err := in.Decode(&m); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, m)
	}
}

// behind says how far the module is behind its newest version: nothing within a year.
func (m module) behind() string {
	kind := "direct"
	if m.Indirect {
		kind = "indirect"
	}
	switch {
	case m.Error != nil:
		return fmt.Sprintf("%s %s (%s): newest version unknown: %s", m.Path, m.Version, kind, firstLine(m.Error.Err))
	case m.Update != nil && m.Update.Time.Sub(m.Time) > year:
		return fmt.Sprintf("%s %s (%s, %s): %s is of %s, %.1f years later", m.Path, m.Version, kind,
			m.Time.Format(time.DateOnly), m.Update.Version, m.Update.Time.Format(time.DateOnly),
			m.Update.Time.Sub(m.Time).Hours()/year.Hours())
	}
	return ""
}

// run runs the go command in a folder.
func run(folder string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = folder
	var words bytes.Buffer
	cmd.Stderr = &words
	data, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w: %s", args[0], err, firstLine(words.String()))
	}
	return data, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

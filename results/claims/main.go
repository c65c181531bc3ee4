// Command claims holds the paper's claims against the committed runs. It writes
// results/claims.md and the tables between the marks in results/README.md and
// README.md. Run it by "make claims" in the top folder; with -check it only says
// whether they are what the runs give.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"macpro/core/files"
	"macpro/core/report/claims"
	"macpro/core/report/read"
	"macpro/core/store"
)

//go:embed claims.yaml
var file []byte

const (
	begin = "<!-- claims: made by \"make claims\" -->\n"
	end   = "<!-- end of claims -->\n"
	head  = `# The paper's claims against our runs

Made by ` + "`make claims`" + ` from the committed summaries; [claims/claims.yaml](claims/claims.yaml) says what each claim means. Differences are
between runs of the same seed, with the 95 % bootstrap interval of their mean over seeds. A check is shown or refuted if
the whole interval is on one side and there are at least three seeds; else it is open. With three seeds an interval is little more
than their range. A claim is shown on an environment if all of its checks are, and refuted if one is.

A bootstrap interval of few seeds is too narrow. Of normal differences it holds the true mean in 75 % of all cases with three seeds and in 84 % with
five, not in 95 %. Student's t interval has no such fault. A † marks a verdict that it leaves open. Nothing is corrected for the number of checks.

`
)

func main() {
	check := flag.Bool("check", false, "change nothing; fail if a file is not what the runs give")
	flag.Parse()
	if err := run(*check); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "claims:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	spec, err := claims.Parse("results/claims/claims.yaml", file)
	if err != nil {
		return err
	}
	all, err := spec.Judge(load)
	if err != nil {
		return err
	}
	page := []byte(head + spec.Table(all, "") + "\n## The numbers\n\n" + spec.Details(all))
	if err := put("results/claims.md", page, check); err != nil {
		return err
	}
	for name, dir := range map[string]string{"results/README.md": "", "README.md": "results/"} {
		old, err := files.Read(name)
		if err != nil {
			return err
		}
		from, to := bytes.Index(old, []byte(begin)), bytes.Index(old, []byte(end))
		if from < 0 || to < from {
			return fmt.Errorf("%s has no place for the claims: want a line %q and one %q", name, begin, end)
		}
		var b bytes.Buffer
		b.Write(old[:from+len(begin)])
		b.WriteString(spec.Table(all, dir))
		b.Write(old[to:])
		if err := put(name, b.Bytes(), check); err != nil {
			return err
		}
	}
	return nil
}

func load(folder string) ([]*read.Summary, error) {
	dir := filepath.Join("results", folder)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	set, err := read.LoadSummaries(store.OS(), dir)
	if err != nil {
		return nil, err
	}
	return set.Runs, nil
}

// put writes a file, or says that it would change.
func put(name string, data []byte, check bool) error {
	old, err := files.Read(name)
	if err == nil && bytes.Equal(old, data) {
		return nil
	}
	if check {
		return fmt.Errorf("%s is not what the summaries give: run make claims", name)
	}
	return store.WriteFile(store.OS(), name, data)
}

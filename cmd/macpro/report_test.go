package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"macpro/core/store"
)

// The live page shows a folder without runs, can be read and nothing else, and
// ends with a signal.
func TestReportServes(t *testing.T) {
	t.Parallel()
	url, stop := served(t, t.TempDir(), "")
	for _, c := range []struct {
		method, path string
		code         int
	}{{"GET", "", 200}, {"POST", "", 405}, {"DELETE", "", 405}, {"GET", "manifest.json", 404}} {
		r, err := http.NewRequest(c.method, url+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != c.code {
			t.Errorf("%s /%s: %d, %v", c.method, c.path, answer.StatusCode, err)
		}
		if c.code == 200 && !strings.Contains(string(body), "none yet") {
			t.Error("the page does not say that there are no runs")
		}
		answer.Body.Close()
	}
	if code := stop(); code != 128+int(syscall.SIGTERM) {
		t.Errorf("exit code %d", code)
	}
}

// The live page shows the cells of sweeps that no run has begun, of one that is named or
// of all.
func TestReportServesCellsThatWait(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} { // without Slurm nothing starts
		got := macpro(t, dir, []string{"PATH=/nowhere"}, words("sweep --executor slurm --env lbf --profile smoke --alg finetuning --grid lr=0.001,0.002 --quiet --name "+name)...)
		if got.Code != 1 || !strings.Contains(got.Stderr, "sbatch") {
			t.Fatalf("exit code %d, %s", got.Code, got.Stderr)
		}
	}
	if got := macpro(t, dir, nil, words("sweep cancel two")...); got.Code != 0 {
		t.Fatal(got.Stderr)
	}
	for args, want := range map[string]string{
		"--sweep one": "0 runs: none yet. 2 cells without a run: 2 pending.",
		"":            "0 runs: none yet. 4 cells without a run: 2 pending, 2 cancelled.",
		"--env pp":    "0 runs: none yet. Made",
	} {
		url, stop := served(t, dir, args)
		answer, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: %v, no %q", args, err, want)
		}
		if shown := strings.Contains(string(body), "Finetuning, LBF, QMIX, lr=0.002, seed 1<br><small>one "); shown != (args != "--env pp") {
			t.Errorf("%s: the cell is shown: %v", args, shown)
		}
		stop()
	}
}

// served starts the live page and returns its address and what ends it, with its exit code.
func served(t *testing.T, dir, args string) (url string, stop func() int) {
	t.Helper()
	cmd := exec.Command("macpro", words("report --serve --listen 127.0.0.1:0 "+args)...)
	cmd.Dir = dir
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url, _, _ = strings.Cut(line, " ")
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("it serves %q", url)
	}
	return url, func() int {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // the exit code is looked at next
		return cmd.ProcessState.ExitCode()
	}
}

// A folder that is not one of summaries keeps its files, whatever they are called.
func TestPublishNeedsSummaries(t *testing.T) {
	dir := t.TempDir()
	mine := filepath.Join(dir, "paper", "tables", "main.tex")
	if err := store.WriteFile(store.OS(), mine, []byte("mine")); err != nil {
		t.Fatal(err)
	}
	got := macpro(t, dir, nil, "publish", "paper")
	if _, err := os.Stat(mine); err != nil || got.Code != exitUsage || !strings.Contains(got.Stderr, "paper holds no summary of a run") {
		t.Errorf("%v, exit code %d, %s", err, got.Code, got.Stderr)
	}
}

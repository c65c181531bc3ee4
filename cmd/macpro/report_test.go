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
	cmd := exec.Command("macpro", words("report --serve --listen 127.0.0.1:0")...)
	cmd.Dir = t.TempDir()
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
	url, _, _ := strings.Cut(line, " ")
	if !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("it serves %q", url)
	}
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
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is looked at next
	if code := cmd.ProcessState.ExitCode(); code != 128+int(syscall.SIGTERM) {
		t.Errorf("exit code %d", code)
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
	if _, err := os.Stat(mine); err != nil || got.code != exitUsage || !strings.Contains(got.stderr, "paper holds no summary of a run") {
		t.Errorf("%v, exit code %d, %s", err, got.code, got.stderr)
	}
}

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"macpro/core/conform/exe"
)

// stranger runs the program as a user who owns nothing, with root's home.
func stranger(t *testing.T, dir string, args ...string) (code int, output string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, "macpro"), args...)
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4001, Gid: 4001}}
	var b bytes.Buffer
	cmd.Stdout, cmd.Stderr = &b, &b
	_ = cmd.Run() // the exit code tells
	return cmd.ProcessState.ExitCode(), b.String()
}

// What a user may not read is told as that, and stops nothing that needs none
// of it.
func TestFoldersOfOtherUsers(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	dir, err := os.MkdirTemp("", "macpro-user-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	copyProgram(t, filepath.Join(dir, "macpro"))
	for name, mode := range map[string]os.FileMode{"home/.config/macpro/plugins": 0o700, "results/runs/r1": 0o700, "mine": 0o777} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"run --env lbf --alg finetuning --profile smoke --set steps_per_task=60 --set test_nepisode=1 --out mine --quiet", exitOK, "score at the end"},
		{"list envs", exitOK, "plugins left out: open " + filepath.Join(dir, "home/.config/macpro/plugins") + ": permission denied"},
		{"run --env lfb", exitUsage, `did you mean "lbf"`},
		{"eval r1", exitFailure, "the run results/runs/r1 cannot be read: stat results/runs/r1/manifest.json: permission denied"},
		{"resume results/runs/r1", exitFailure, "permission denied"},
		{"run --env lbf --out results", exitFailure, "permission denied"},
	} {
		if code, output := stranger(t, dir, words(c.args)...); code != c.code || !strings.Contains(output, c.want) {
			t.Errorf("%s: exit code %d\n%s\nwant %d and %q", c.args, code, output, c.code, c.want)
		}
	}
}

// copyProgram puts this program where everybody can start it.
func copyProgram(t *testing.T, to string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	exe.Write(t, to, data, 0o755)
}

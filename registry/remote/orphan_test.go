package remote_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"macpro/core"
	"macpro/registry/remote"
)

// hostVariable makes the test binary a host that starts two plugins, tells their
// numbers and waits to be killed.
const hostVariable = "HOST_TEST_PLUGINS"

func TestMainHost(t *testing.T) {
	if os.Getenv(hostVariable) == "" {
		t.Skip("only as the host of TestNoOrphans")
	}
	for range 2 {
		p, err := remote.New(launch("env/teller"))
		if err != nil {
			t.Fatal(err)
		}
		pid, group, sockets := told(t, p.(core.EnvPlugin))
		fmt.Println(pid, group, sockets)
	}
	time.Sleep(time.Hour)
}

// A host that is killed without a chance to clean up leaves no plugin, no
// janitor and no socket behind.
func TestNoOrphans(t *testing.T) {
	host := exec.Command(os.Args[0], "-test.run=^TestMainHost$", "-test.v")
	host.Env = append(os.Environ(), hostVariable+"=1")
	out, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	var pids []int
	var folders []string
	for lines := bufio.NewScanner(out); len(folders) < 2 && lines.Scan(); {
		var pid, group int
		var sockets string
		if n, _ := fmt.Sscan(lines.Text(), &pid, &group, &sockets); n == 3 {
			pids, folders = append(pids, pid, group), append(folders, filepath.Dir(sockets))
		}
	}
	if len(folders) < 2 {
		t.Fatal("the host did not come up")
	}
	if err := host.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = host.Wait() // killed
	for _, pid := range pids {
		goneSoon(t, pid)
	}
	for _, dir := range folders {
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is still there: %v", dir, err)
		}
	}
}

package sc2

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"macpro/plugins/envs/internal/sc2/sc2test"
	"macpro/plugins/envs/internal/skirmish"
)

func TestHowTheGameIsStarted(t *testing.T) {
	root := sc2test.Install(t, sc2test.Settings{})
	c := config(root)
	c.Args = []string{"-eglpath", "/lib/libEGL.so"}
	e := open(t, task(t, "3m", skirmish.Liberty()), 2, c)
	p := played{env: e}
	for l := range 2 {
		if err := e.lanes[l].reset(1); err != nil {
			t.Fatal(err)
		}
	}
	starts := sc2test.Starts(t, root)
	if len(starts) != 2 {
		t.Fatalf("%d games for 2 lanes", len(starts))
	}
	for i, s := range starts {
		dir := s.TempDir()
		want := []string{"-listen", "127.0.0.1", "-port", strconv.Itoa(p.lanes[i].game.proc.port), "-dataDir", root + "/",
			"-tempDir", dir, "-dataVersion", "B3E14058F1083913B80C20993AC965DB", "-eglpath", "/lib/libEGL.so"}
		if !slices.Equal(s.Args, want) {
			t.Errorf("arguments %q, want %q", s.Args, want)
		}
		if libs := s.Env["LD_LIBRARY_PATH"]; !strings.HasPrefix(libs, filepath.Join(root, "Libs")+"/") {
			t.Errorf("libraries are looked for in %q", libs)
		}
		if i, err := os.Stat(dir); err != nil || !i.IsDir() {
			t.Errorf("no folder for temporary files: %v", err)
		}
	}
	if starts[0].TempDir() == starts[1].TempDir() || e.lanes[0].game.proc.port == e.lanes[1].game.proc.port {
		t.Error("two games share a folder or a port")
	}
}

func TestArgumentsOnAMac(t *testing.T) {
	in := &install{root: "/sc2"}
	linux, mac := arguments("linux", in, 7, "/t", []string{"-x"}), arguments("darwin", in, 7, "/t", []string{"-x"})
	i := slices.Index(mac, "-displayMode")
	if i < 0 || mac[i+1] != "0" || len(mac) != len(linux)+10 || mac[len(mac)-1] != "-x" {
		t.Errorf("%q, and elsewhere %q", mac, linux)
	}
}

// A game that neither quits nor heeds signals is ended all the same, and closing
// twice is harmless.
func TestStubbornGame(t *testing.T) {
	t.Parallel()
	root := sc2test.Install(t, sc2test.Settings{Stubborn: true})
	p := newPlayed(open(t, task(t, "3m", skirmish.Liberty()), 1, config(root)))
	p.reset(t, 1)
	port := p.lanes[0].game.proc.port
	soon(t, func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	if left := sc2test.Left(t, root); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	taken.Lock()
	defer taken.Unlock()
	if taken.ports[port] {
		t.Errorf("port %d is still reserved", port)
	}
}

// victim is the variable that makes the test binary play a program that is ended in
// the middle of things: a folder of a game, and how the program ends.
const victim = "MACPRO_SC2_VICTIM"

// playVictim opens an environment, says so, and leaves without closing it.
func playVictim() {
	root, end, ok := strings.Cut(os.Getenv(victim), "|")
	if !ok {
		return
	}
	t := new(testing.T)
	p := newPlayed(open(t, task(t, "3m", skirmish.Liberty()), 1, config(root)))
	if end == "starting" {
		go func() { _ = p.Reset([]int{0}, []uint64{1}, p.f) }() // does not come to an end
		for len(sc2test.Starts(t, root)) == 0 {
			time.Sleep(time.Millisecond)
		}
	} else {
		p.reset(t, 1)
	}
	fmt.Println("ready")
	if end == "exit" {
		os.Exit(0)
	}
	time.Sleep(time.Hour)
	os.Exit(1)
}

func TestNoGameOutlivesItsProgram(t *testing.T) {
	for _, end := range []string{"exit", "playing", "starting"} {
		t.Run(end, func(t *testing.T) {
			t.Parallel()
			s := sc2test.Settings{Stubborn: true}
			if end == "starting" {
				s.Deaf = time.Hour
			}
			root := sc2test.Install(t, s)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), victim+"="+root+"|"+end)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
				t.Errorf("the program says %q, %v", line, err)
			}
			if end != "exit" {
				_ = cmd.Process.Signal(syscall.SIGKILL)
			}
			_ = cmd.Wait() // killed
			games(t, root, 1)
			if err := sc2test.Gone(t, root); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPortsDiffer(t *testing.T) {
	seen := map[int]bool{}
	for range 50 {
		p, err := reserve()
		if err != nil {
			t.Fatal(err)
		}
		if seen[p] {
			t.Errorf("port %d was given out twice", p)
		}
		seen[p] = true
	}
	for p := range seen {
		release(p)
	}
}

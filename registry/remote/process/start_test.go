package process

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"macpro/core/conform/exe"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // most tests wait for something
		panic(err)
	}
	os.Exit(m.Run())
}

// Every way of not starting gives a sentence that says what the plugin did, and one
// that says what would be right; none blames the signal that ended it afterwards.
func TestEvilBeginnings(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"text": "just a text\n", "lost": "#!/nowhere/interpreter\n", "closed": "#!/bin/sh\n"} {
		mode := os.FileMode(0o755)
		if name == "closed" {
			mode = 0o644
		}
		exe.Write(t, filepath.Join(dir, name), []byte(text), mode)
	}
	const right = "its first line of output must be 1|1|unix|SOCKET|grpc"
	for script, says := range map[string][]string{
		// Nothing comes.
		"sleep 100": {"it printed nothing within 5s", right},
		"echo waiting for a token >&2; read x; sleep 100": {"it printed nothing within 5s", "waiting for a token"},
		"printf '1|1|un'; sleep 100":                      {`within 5s it printed only "1|1|un", without a line end`, right},
		"exec >&-; sleep 100":                             {"it closed its standard output without a line", right},
		// It ends.
		"exit 0":                      {"it ended at once with exit status 0 and without a line", right},
		"echo no licence >&2; exit 3": {"it ended at once with exit status 3", "no licence"},
		"kill -SEGV $$":               {"it ended at once with signal: segmentation fault"},
		"echo hello; exit 4":          {`its first line of output is "hello"`, right},
		"printf 'Loading\\nno licence\\n'; exit 4": {`its first line of output is "Loading"`, "its last words:\nno licence"},
		// It says something else.
		"echo; sleep 100":                                                           {`its first line of output is ""`, right},
		"echo Loading; sleep 100":                                                   {`its first line of output is "Loading"`, right},
		"printf '\\033[31mred\\n'; sleep 100":                                       {`its first line of output is "\x1b[31mred"`, right},
		"head -c 100000 /dev/zero; sleep 100":                                       {`its first line of output is "\x00\x00`, "...", right},
		"yes | tr -d '\\n' | head -c 9999; sleep 100":                               {`its first line of output is "yyyy`, "...", right},
		"echo '1|1|unix'; sleep 100":                                                {`its first line of output is "1|1|unix"`, right},
		"echo '2|1|unix|/x|grpc'; sleep 100":                                        {`its handshake "2|1|unix|/x|grpc" is of version 2 of go-plugin's protocol, want 1`},
		"echo 'x|1|unix|/x|grpc'; sleep 100":                                        {`its handshake "x|1|unix|/x|grpc" is of version x of go-plugin's protocol, want 1`},
		"echo '1|9|unix|/x|grpc'; sleep 100":                                        {"it speaks version 9 of the protocol, this program 1: build the plugin for this program"},
		"echo '1|a|unix|/x|grpc'; sleep 100":                                        {"it speaks version a of the protocol, this program 1"},
		"echo '1|1|pipe|/x|grpc'; sleep 100":                                        {`names a connection of kind "pipe", want unix`},
		"echo '1|1|tcp|localhost:99999999|grpc'; sleep 100":                         {`names a connection of kind "tcp", want unix`},
		"echo '1|1|unix|/x|netrpc'; sleep 100":                                      {`speaks "netrpc", want grpc`},
		"echo '1|1|unix|/x'; sleep 100":                                             {`speaks "netrpc", want grpc`},
		"echo '1|1|unix|/nowhere/s|grpc'; sleep 100":                                {"nothing answers at its socket /nowhere/s"},
		"echo \"1|1|unix|$0|grpc\"; sleep 100":                                      {"nothing answers at its socket"},
		"echo '1|1|unix||grpc'; sleep 100":                                          {`its handshake "1|1|unix||grpc" names no socket`},
		"echo '1|1|unix|relative|grpc'; sleep 100":                                  {"nothing answers at its socket relative"},
		"echo \"1|1|unix|/x|grpc|$(yes A | tr -d '\\n' | head -c 100)\"; sleep 100": {"its handshake asks for TLS"},
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			limit := time.Minute
			if strings.Contains(says[0], "within 5s") {
				limit = 5 * time.Second
			}
			refusedStart(t, Command{Args: []string{"/bin/sh", "-c", script}, StartTimeout: limit}, says...)
		})
	}
	for program, says := range map[string]string{
		filepath.Join(dir, "gone"): "there is no such file", filepath.Join(dir, "closed"): "chmod +x", filepath.Join(dir, "text"): "neither a program for this machine nor a script with a #! line",
		filepath.Join(dir, "lost"): "interpreter in its #! line", dir: "is a folder", "no-such-program-anywhere": "is not found on PATH",
	} {
		refusedStart(t, Command{Args: []string{program}}, "it cannot be started", program, says)
	}
	refusedStart(t, Command{Args: []string{"/bin/sh", "-c", "exit"}, Dir: "/nowhere/at/all"}, "it cannot be started", "its folder /nowhere/at/all")
}

// refusedStart wants an error that says all of it before a time-out that is not to come
// has passed, or the script has slept enough.
func refusedStart(t *testing.T, c Command, says ...string) {
	t.Helper()
	c.Plugin = "env/evil"
	from := time.Now()
	p, err := Start(c)
	if err == nil {
		p.Close()
		t.Fatal("it started")
	}
	for _, s := range append(says, "plugin env/evil: start: ") {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("the error does not say %q:\n%v", s, err)
		}
	}
	if strings.Contains(err.Error(), "killed") || strings.ContainsRune(err.Error(), '\x1b') {
		t.Errorf("the error is misleading: %v", err)
	}
	if took := time.Since(from); took > 50*time.Second {
		t.Errorf("it took %v", took)
	}
}

// Without a limit of its own a start has a minute, and the message says so.
func TestStartLimit(t *testing.T) {
	if l := (Command{}).startLimit(); l != time.Minute {
		t.Errorf("the limit is %v", l)
	}
	if l := (Command{StartTimeout: time.Second}).startLimit(); l != time.Second {
		t.Errorf("the limit is %v", l)
	}
}

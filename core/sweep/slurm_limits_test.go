package sweep

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// site gives a cluster limits; accounts and services are what sacctmgr shows.
func site(t *testing.T, dir, config, accounts, services string) {
	t.Helper()
	path := "/bin:/usr/bin"
	program(t, "scontrol", fmt.Sprintf("PATH=%s; cat <<'END'\n%s\nEND\n", path, config))
	if accounts == "" {
		_ = os.Remove(dir + "/sacctmgr") // a site without accounting may have had none
		return
	}
	program(t, "sacctmgr", fmt.Sprintf("PATH=%s; cd %s; echo \"$*\" >> managed\ncase \"$*\" in *assoc*) echo '%s';; *) echo '%s';; esac\n", path, dir, accounts, services))
}

// What a site takes decides how many arrays and tasks there are, and it is said.
func TestSlurmKeepsTheLimitsOfTheSite(t *testing.T) {
	for name, c := range map[string]struct {
		config, accounts, services string
		queue                      int
		throttle, pack             int
		args                       string
		arrays                     string // of the submissions, with their dependencies
		says                       []string
	}{
		"none are known": {"nothing = 5", "", "", 0, 0, 1, "", "0-11", nil},
		"wide":           {"MaxArraySize            = 1001\nMaxJobCount = 10000", "|normal", "", 0, 0, 1, "", "0-11", nil},
		"split":          {"MaxArraySize            = 5", "", "", 0, 0, 1, "", "0-4 0-4 0-1", []string{"arrays of up to 5 tasks (MaxArraySize): 12 tasks are split into 3 arrays"}},
		"split with a throttle": {"MaxArraySize = 5", "", "", 0, 2, 1, "", "0-4%2 0-4%2@7 0-1%2@8",
			[]string{"split into 3 arrays"}},
		"packed":           {"MaxArraySize = 1001", "5|normal", "", 0, 0, 1, "", "0-3", []string{"the site takes 4 more tasks of you (MaxSubmitJobs=5): 12 tasks are packed into 4"}},
		"packed and split": {"MaxArraySize = 2", "6|", "", 0, 0, 1, "", "0-1 0-1 0-0", []string{"12 tasks are packed into 5", "5 tasks are split into 3 arrays"}},
		"the queue counts": {"MaxArraySize = 1001", "9|\n|normal", "", 4, 0, 1, "", "0-3", []string{"takes 4 more tasks of you (MaxSubmitJobs=9, 4 in the queue)"}},
		"a full queue":     {"MaxArraySize = 1001", "4|", "", 9, 0, 1, "", "0-0", []string{"12 tasks are packed into 1"}},
		"the default qos":  {"MaxArraySize = 1001", "|short", "3|", 0, 0, 1, "", "0-1", []string{"MaxSubmitJobs=3"}},
		"a chosen qos":     {"MaxArraySize = 1001", "|short", "3|", 0, 0, 1, "--qos=long", "0-1", []string{"MaxSubmitJobs=3"}},
		"all jobs":         {"MaxJobCount = 7\nMaxArraySize = 1001", "", "", 0, 0, 1, "", "0-5", []string{"MaxJobCount=7"}},
		"no need":          {"MaxArraySize = 2", "3|", "", 0, 0, 6, "", "0-1", nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _, x := cluster(t)
			var said []string
			x.Log = func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }
			x.Throttle, x.Pack = c.throttle, c.pack
			if c.args != "" {
				x.Args = []string{c.args}
			}
			site(t, dir, c.config, c.accounts, c.services)
			put(t, dir, "queue", strings.Repeat("99_1\n", c.queue))
			seeds := []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
			s := makeSweep(t, Search{Strategy: "grid"}, [][]string{{"lr=1"}}, seeds...)
			if err := x.Execute(t.Context(), s); err != nil {
				t.Error(err)
				return
			}
			var arrays []string
			report := ""
			for _, line := range lines(t, dir, "called") {
				array, after := "", ""
				for _, w := range strings.Fields(line) {
					if v, ok := strings.CutPrefix(w, "--array="); ok {
						array = v
					}
					if v, ok := strings.CutPrefix(w, "--dependency=afterany:"); ok {
						after = v
					}
				}
				switch {
				case array == "":
					report = after
				case after != "":
					arrays = append(arrays, array+"@"+after)
				default:
					arrays = append(arrays, array)
				}
			}
			if got := strings.Join(arrays, " "); got != c.arrays {
				t.Errorf("arrays %s, want %s", got, c.arrays)
			}
			if n := strings.Count(report, ":") + 1; n != len(arrays) {
				t.Errorf("the report waits for %s", report)
			}
			text := strings.Join(said, "\n")
			for _, want := range c.says {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			if changed := strings.Contains(text, "the site takes"); changed != (len(c.says) > 0) {
				t.Errorf("%s", text)
			}
			n, err := s.batches()
			if err != nil || n != len(arrays) {
				t.Errorf("%d batches, %v", n, err)
			}
			cells := map[string]bool{}
			for i := range n {
				b, err := s.batch(i)
				if err != nil {
					t.Fatal(err)
				}
				for task := range b.Chunks {
					part, err := s.Chunk(i, task)
					if err != nil {
						t.Fatal(err)
					}
					for _, c := range part {
						cells[c.ID] = true
					}
				}
			}
			if len(cells) != len(seeds) {
				t.Errorf("%d cells were submitted, want %d", len(cells), len(seeds))
			}
		})
	}
}

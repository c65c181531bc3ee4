package bits_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/store"
)

var updateDigests = flag.Bool("update-digests", false, "write testdata/digests.json anew: a change of results, which CHANGELOG.md must name")

const inBF16 = " --set precision=bf16"

const digestFile = "testdata/digests.json"

// digestRuns are the runs whose bits are recorded: name to command line. The
// methods of the paper train on every environment, others on a flat one and one
// with entities, every learner trains once.
func digestRuns() map[string]string {
	const every = " --profile smoke --seed 1 --threads 1 --quiet --set steps_per_task=400 --set test_nepisode=2" +
		" --set test_interval=300 --set batch_size=4"
	const small = " --set context_batch=4 --set enc_depth=2 --set kappa1=100 --set kappa2=200"
	own := map[string]string{"finetuning": "", "coreset": "", "ewc": " --set fisher_episodes=8",
		"owl": " --set fisher_episodes=8", "macpro": small, "random": small, "oracle": small,
		"agem": " --set agem_batch=4 --set memory_size=20", "er": " --set memory_size=20", "packnet": "",
		"clonex": " --set clone_episodes=8 --set clone_batch=4",
		"l2":     "", "l2init": "", "si": "", "lwf": "", "online_ewc": " --set fisher_episodes=8",
		"mas": " --set mas_episodes=8", "cbp": " --set cbp_rate=0.05 --set cbp_maturity=4 --set cbp_interval=2"}
	paper := []string{"finetuning", "coreset", "ewc", "owl", "macpro"}
	runs := map[string]string{}
	for _, env := range []string{"lbf", "pp", "marines", "sz"} {
		for alg, keys := range own {
			if (alg == "random" || alg == "oracle") && env != "lbf" {
				continue // they train as macpro does
			}
			if !slices.Contains(paper, alg) && (env == "pp" || env == "sz") {
				continue
			}
			runs[alg+" "+env] = "--alg " + alg + " --env " + env + every + keys
		}
	}
	runs["macpro lbf apart"] = "--alg macpro --env lbf" + every + small + " --set expansion=always --set sharing=none"
	for _, env := range []string{"lbf", "marines"} {
		for _, protect := range []string{"mask", "distill"} {
			runs["macpro "+env+" "+protect] = "--alg macpro --env " + env + every + small + " --set expansion=always --set protect_batch=4 --set protect=" + protect
		}
	}
	runs["macpro lbf bf16"] = "--alg macpro --env lbf" + every + small + inBF16
	runs["finetuning marines bf16"] = "--alg finetuning --env marines" + every + inBF16
	for _, learner := range []string{"vdn", "qplex", "iql"} {
		runs["finetuning lbf "+learner] = "--alg finetuning --env lbf --learner " + learner + every
	}
	return runs
}

// Runs in bf16 have the recorded bits on all assembly kernels: those of a processor
// with AVX512_BF16 and the emulation.
func TestBF16OnEveryKernel(t *testing.T) {
	t.Parallel()
	program.UsesSources(t)
	if *updateDigests {
		t.Skip("compares with the recorded digests")
	}
	want := recordedDigests(t)
	for _, path := range []string{"avx2", "avx512", "avx512bf16"} {
		environ := []string{"MACPROKERNEL=" + path}
		if program.Call(t, t.TempDir(), environ, "--version").Code != 0 {
			continue // this machine cannot run it
		}
		for name, line := range digestRuns() {
			if !strings.HasSuffix(line, inBF16) {
				continue
			}
			t.Run(path+" "+name, func(t *testing.T) {
				t.Parallel()
				if got := runDigest(t, name, line, environ); !maps.Equal(got, want[name]) {
					t.Errorf("%v, recorded %v", got, want[name])
				}
			})
		}
	}
}

// recordedDigests reads the file of digests.
func recordedDigests(t *testing.T) map[string]map[string]string {
	t.Helper()
	all := map[string]map[string]string{}
	if data, err := os.ReadFile(digestFile); err == nil {
		if err := json.Unmarshal(data, &all); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// The bits of results are a contract: journals, but for clocks, and the last
// checkpoints of small runs are those that earlier versions wrote. Digests are
// recorded on amd64 with AVX2; the pure Go path rounds otherwise.
func TestDigests(t *testing.T) {
	t.Parallel()
	program.UsesSources(t)
	if runtime.GOARCH != "amd64" || !strings.Contains(program.Call(t, t.TempDir(), nil, "doctor").Stdout, "avx") {
		t.Skip("digests are those of AVX2 and AVX-512")
	}
	want := recordedDigests(t)
	got := map[string]map[string]string{}
	runs := digestRuns()
	var lock sync.Mutex
	t.Run("runs", func(t *testing.T) {
		for _, name := range slices.Sorted(maps.Keys(runs)) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				sums := runDigest(t, name, runs[name], nil)
				lock.Lock()
				got[name] = sums
				lock.Unlock()
				for part, sum := range sums {
					if !*updateDigests && want[name][part] != sum {
						t.Errorf("%s: the %s differs from the recorded one", name, part)
					}
				}
			})
		}
	})
	if !*updateDigests || t.Failed() {
		return
	}
	data, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(digestFile, append(data, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runDigest trains and sums up what the run left behind.
func runDigest(t *testing.T, name, line string, environ []string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	if out := program.Call(t, dir, environ, append([]string{"run"}, words(line)...)...); out.Code != 0 {
		t.Fatalf("%s: exit code %d\n%s", name, out.Code, out.Stderr)
	}
	runs, warnings, err := store.List(store.OS(), filepath.Join(dir, "results"))
	if err != nil || len(warnings) > 0 || len(runs) != 1 {
		t.Fatal(name, len(runs), warnings, err)
	}
	journal, err := runs[0].Digest()
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{"journal": journal}
	for part, data := range program.LastCheckpoint(t, runs[0].Dir) {
		sum := sha256.Sum256(data)
		sums[part] = hex.EncodeToString(sum[:])
	}
	return sums
}

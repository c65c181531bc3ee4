package python_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"macpro/cmd/macpro/tests/program"
)

// Every skeleton in Python passes its own test and the suite, and trains, in a
// folder that knows nothing of these sources.
func TestPythonSkeletons(t *testing.T) {
	t.Parallel()
	python := "/usr/bin/python3"
	dir, environ := t.TempDir(), append(program.Private(t), debianPython(t))
	t.Run("kinds", func(t *testing.T) {
		for _, kind := range []string{"env", "ablation", "method", "learner"} {
			t.Run(kind, func(t *testing.T) {
				t.Parallel()
				program.Must(t, dir, environ, "plugin", "new", kind, "my_"+kind, "--lang", "python")
				program.Must(t, dir, environ, "plugin", "check", "my_"+kind, "--write")
				cmd := exec.Command(python, "-m", "unittest")
				cmd.Dir = filepath.Join(dir, "my_"+kind)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	program.Must(t, dir, environ, strings.Fields("run --alg my_method --learner my_learner --profile smoke --quiet --set steps_per_task=60 --set test_interval=30"+
		" --set test_nepisode=2 --env-plugin my_env --env-plugin my_method --env-plugin my_learner --env-plugin my_ablation --ablation my_ablation")...)
}

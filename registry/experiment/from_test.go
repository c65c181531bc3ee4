package experiment_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"macpro/core/safetensors"
	"macpro/core/store"
	"macpro/registry/experiment"
)

// A run that starts with another's networks has them in its targets, too.
func TestTargetsStartWithTheOriginsNetworks(t *testing.T) {
	root := t.TempDir()
	origin, err := experiment.Run(context.Background(), user("batch_size=2", "target_update_interval=1000", "tasks=[right]"), root)
	if err != nil {
		t.Fatal(err)
	}
	rec, err := store.Load(store.OS(), origin.Dir)
	if err != nil {
		t.Fatal(err)
	}
	key, err := experiment.OriginKey(rec, -1)
	if err != nil {
		t.Fatal(err)
	}
	x, err := experiment.Resolve(user("tasks=[bottom]", "from="+key))
	if err == nil {
		err = x.TakeOver(root, nil, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := x.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Runner.Close() }()
	var b bytes.Buffer
	if err := s.Runner.Learner().Save(&b); err != nil {
		t.Fatal(err)
	}
	f, err := safetensors.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, name := range f.Names() {
		rest, ok := strings.CutPrefix(name, "online.")
		if !ok {
			continue
		}
		online, err := safetensors.Get[float32](f, name)
		if err != nil {
			t.Fatal(err)
		}
		target, err := safetensors.Get[float32](f, "target."+rest)
		if err != nil || !slices.Equal(online, target) {
			t.Errorf("%s: the target differs (%v)", rest, err)
		}
		compared++
	}
	if compared == 0 {
		t.Error("no tensors to compare")
	}
}

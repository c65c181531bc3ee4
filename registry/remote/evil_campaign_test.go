package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/conform/mini"
	"macpro/core/continual"
	"macpro/core/rng"
	"macpro/plugins/continual/agem"
	"macpro/plugins/continual/clonex"
	"macpro/plugins/continual/packnet"
	"macpro/registry/remote"
)

// How long the campaign plays and from which seed, unless TORTURE_TIME and
// TORTURE_SEED say otherwise.
var (
	campaignTime        = 3 * time.Second
	campaignSeed uint64 = 1
)

// spoilVariable holds the seed and the number of the call that a plugin spoils.
const spoilVariable = "SPOIL_TEST_PLUGIN"

// spoiled serves a good plugin of which one answer is spoiled, if the environment
// says so.
func spoiled(name string) {
	seed, call, ok := strings.Cut(os.Getenv(spoilVariable), "/")
	if !ok {
		return
	}
	n, err := strconv.ParseInt(call, 10, 64)
	s, err2 := strconv.ParseUint(seed, 10, 64)
	if err := errors.Join(err, err2); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var calls atomic.Int64
	remote.ServeWith(served()[name], grpc.ChainUnaryInterceptor(func(ctx context.Context, q any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
		a, err := h(ctx, q)
		if m, ok := a.(proto.Message); ok && err == nil && calls.Add(1) == n {
			stream := rng.FromSeed(s)
			return spoil(&stream, m)
		}
		return a, err
	}))
}

// A plugin of any kind that gives one answer of any other content, or misbehaves
// instead, at any moment of a run never takes the host with it: the run ends with an
// error that names the plugin, soon and without much memory, or goes on. What was
// saved before can be resumed with the good plugin. TORTURE_TIME and TORTURE_SEED
// make it longer and another one; every case prints what plays it again.
func TestEvilCampaign(t *testing.T) {
	seed := campaignSeed
	if text := os.Getenv("TORTURE_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if text := os.Getenv("TORTURE_TIME"); text != "" {
		var err error
		if campaignTime, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	casts := campaignCasts(t)
	if name, spoil, ok := strings.Cut(os.Getenv("TORTURE_CASE"), " "); ok {
		for _, c := range casts {
			if c.evil == name {
				t.Logf("with %s the run's error: %v", c.options.Method.Info().Name, evilRun(t, name, spoil, c.options))
			}
		}
		return
	}
	draw := rng.FromSeed(seed)
	ended, played := 0, 0
	for end := time.Now().Add(campaignTime); time.Now().Before(end); played++ {
		name, good := casts[played%len(casts)].evil, casts[played%len(casts)].options
		call := 1 + int64(draw.Intn(1<<(1+draw.Intn(10))))
		spoil := fmt.Sprintf("%d/%d", draw.Uint64(), call)
		if err := evilRun(t, name, spoil, good); err != nil {
			ended++
		}
		if t.Failed() {
			t.Fatalf("case %d of TORTURE_SEED=%d: again by TORTURE_CASE='%s %s'", played, seed, name, spoil)
		}
	}
	t.Logf("TORTURE_SEED=%d: %d spoiled answers, of which %d ended their run", seed, played, ended)
	if played > 20 && ended == 0 {
		t.Error("no answer that was spoiled has ended a run: nothing was tested")
	}
}

// campaignCast is a run and the plugin of it that is replaced by an evil one.
type campaignCast struct {
	evil    string
	options continual.Options
}

// campaignCasts are runs of the mini-plugins, and of methods and a learner that
// use everything that a learner can open.
func campaignCasts(t *testing.T) []campaignCast {
	t.Helper()
	good := cast()
	good.Settings = mini.Settings("checkpoint_interval", 20, "sequence", "mixed")
	casts := []campaignCast{{"env/mini", good}, {"learner/mini-learner", good}, {"method/mini-method", good}}
	own := mini.Settings("checkpoint_interval", 20, "steps_per_task", 60, "memory_size", 20, "agem_batch", 2, "clone_coef", 1.0, "clone_loss", "kl",
		"clone_temperature", 1.0, "clone_episodes", 3, "clone_batch", 2, "packnet_keep", 0.5, "packnet_retrain", 0.5)
	for name, p := range map[string]core.MethodPlugin{"method/agem": agem.Plugin{}, "method/clonex": clonex.Plugin{}, "method/packnet": packnet.Plugin{}} {
		o := continual.Options{Env: mini.Env{}, Learner: recurrent{}, Method: p, Settings: own}
		casts = append(casts, campaignCast{"learner/mini-recurrent", o}, campaignCast{name, o})
	}
	slices.SortStableFunc(casts[3:], func(a, b campaignCast) int {
		return strings.Compare(a.evil+a.options.Method.Info().Name, b.evil+b.options.Method.Info().Name)
	})
	return casts
}

// recurrent is the mini-recurrent learner with a configuration file.
type recurrent struct{ mini.Recurrent }

func (p recurrent) Info() core.Info {
	i := p.Recurrent.Info()
	i.Config = []byte("# Nothing to set.\n")
	return i
}

// evilRun plays a run with one spoiled answer, and returns its error.
func evilRun(t *testing.T, name, spoil string, good continual.Options) error {
	l := launch(name)
	l.Env = append(l.Env, spoilVariable+"="+spoil)
	l.StartTimeout, l.CallTimeout = 10*time.Second, time.Second
	p, err := remote.New(l)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	o := with(good, p)
	rec := &conform.Record{}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	within(t, 60*time.Second, func() { _, _, err = rec.Play(o, nil) })
	runtime.ReadMemStats(&after)
	if taken := (after.TotalAlloc - before.TotalAlloc) >> 20; taken > 2<<10 {
		t.Errorf("the run took %d MiB of memory: %v", taken, err)
	}
	if err == nil {
		return nil
	}
	_, bare, _ := strings.Cut(name, "/")
	if !strings.Contains(err.Error(), bare) && !strings.Contains(err.Error(), "task ") {
		t.Errorf("the error names neither the plugin nor the place: %v", err)
	}
	if text := err.Error(); strings.ContainsAny(text, "\x1b\x00") || len(text) > 32<<10 {
		t.Errorf("the error is not fit to print: %d bytes, %q...", len(text), text[:min(len(text), 1000)])
	}
	if n := len(rec.Checkpoints); n > 0 {
		if _, _, resumed := rec.From(rec.Checkpoints[n-1]).Play(good, &rec.Checkpoints[n-1]); resumed != nil {
			t.Errorf("after %v the checkpoint cannot be resumed: %v", err, resumed)
		}
	}
	return err
}

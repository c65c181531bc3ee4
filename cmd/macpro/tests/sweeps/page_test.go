package sweeps_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"macpro/cmd/macpro/tests/program"
	"macpro/core/record"
)

// The served page follows a sweep without being loaded again: a cell that runs, one that
// is killed together with its sweep, and the end.
func TestServedPageFollowsASweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sweep, _ := program.Start(t, dir, strings.Fields("sweep --name live --alg finetuning --env lbf --profile smoke --grid lr=0.001,0.002 --seeds 1 --jobs 1"+
		" --set steps_per_task=6000 --set batch_size=8 --set log_interval=200 --set test_nepisode=2 --set checkpoint_interval=1000"))
	t.Cleanup(func() { _ = sweep.Process.Kill() })
	program.WaitFor(t, dir, "journal.jsonl", `"checkpoint"`)
	run := program.OnlyRun(t, dir)
	if run.Status != record.Running {
		t.Fatalf("the first cell is %s", run.Status)
	}
	// A browser takes its time: the cell waits until all of it was seen.
	if err := syscall.Kill(run.Manifest.PID, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(run.Manifest.PID, syscall.SIGCONT) }) // if it still waits
	show := openPage(t, serve(t, dir))
	line := `[...document.querySelectorAll('#runs ~ .scroll tr')].slice(1).map(r => [...r.cells].map(c => c.textContent.trim()).join('|')).join('\n')`
	see := func(what string, script string) {
		t.Helper()
		for end := time.Now().Add(3 * time.Minute); show(script) != "true"; time.Sleep(50 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the page does not show that %s:\n%s\n%s", what, show(line), show(`document.querySelector('main .note').textContent`))
			}
		}
	}
	// status, progress, average, loss, epsilon, speed, left, time
	see("a cell runs", `String(/\|running\|[\d.]+k of 12k\|[^|]*\|[\d.e-]+\|[01]\.\d+\|\d+ steps\/s\|\d+ s\|\d+ s\|/.test(`+line+`))`)
	see("the other cell waits", `String(/\|pending\|0 of 12k\|-\|-\|-\|-\|-\|-\|$/m.test(`+line+`) && /1 run: 1 running\. 1 cell without a run: 1 pending\./.test(document.querySelector('main .note').textContent))`)
	show(`window.same = 'kept'`)

	// The sweep must not see that its cell has ended, as it would go on with it.
	for _, kill := range []func() error{
		func() error { return sweep.Process.Signal(syscall.SIGSTOP) },
		func() error { return syscall.Kill(run.Manifest.PID, syscall.SIGKILL) },
		sweep.Process.Kill,
	} {
		if err := kill(); err != nil {
			t.Fatal(err)
		}
	}
	_ = sweep.Wait() // it was killed
	see("the killed cell is interrupted", `String(/\|interrupted\|[\d.]+k of 12k\|[^|]*\|\d+ s\|$/m.test(`+line+`) && !/running/.test(document.querySelector('main').textContent))`)

	if out := program.Call(t, dir, nil, strings.Fields("sweep resume live --quiet")...); out.Code != 0 {
		t.Fatal(out.Stderr)
	}
	see("both are done", `String(/2 runs: 2 done\./.test(document.querySelector('main .note').textContent) && (`+line+`).split('\n').every(r => /\|done\|12[\d.]*k of 12k\|/.test(r)))`)
	if got := show(line); !strings.Contains(got, "lr=0.001") || !strings.Contains(got, "lr=0.002") {
		t.Errorf("the runs do not say what they differ in: %s", got)
	}
	if show(`window.same`) != "kept" || show(`document.getElementById('state').textContent`) != "" {
		t.Error("the page was loaded again or has failed")
	}
}

// serve starts the page of the sweep live and returns its address.
func serve(t *testing.T, dir string) string {
	t.Helper()
	cmd := program.Command(t, dir, nil, strings.Fields("report --sweep live --serve --listen 127.0.0.1:0")...)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	first, err := bufio.NewReader(out).ReadString('\n')
	url, _, _ := strings.Cut(first, " ")
	if err != nil || !strings.HasPrefix(url, "http://") {
		t.Fatalf("%q, %v", first, err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return url
}

// openPage opens an address in Chromium and returns what evaluates a script there. The
// test is skipped without Chromium.
func openPage(t *testing.T, url string) func(script string) string {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		t.Skip("there is no Chromium on this machine")
	}
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WSURLReadTimeout(3*time.Minute))...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 9*time.Minute)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
	return func(script string) string {
		t.Helper()
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](script))
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", script, err))
		}
		return text
	}
}

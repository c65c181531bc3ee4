package page

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browser is a tab of Chromium that notes what it complains of and asks for.
type browser struct {
	t    *testing.T
	ctx  context.Context
	mu   sync.Mutex
	says []string
	asks []string
}

// openBrowser skips the test where there is no Chromium.
func openBrowser(t *testing.T) *browser {
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
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1280, 1800), chromedp.WSURLReadTimeout(3*time.Minute))...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(alloc)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 9*time.Minute)
	t.Cleanup(cancel)
	b := &browser{t: t, ctx: ctx}
	b.run() // opens the tab
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *browser) event(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := ev.(type) {
	case *runtime.EventExceptionThrown:
		b.says = append(b.says, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.says = append(b.says, e.Entry.Text)
	case *runtime.EventConsoleAPICalled:
		b.says = append(b.says, "console: "+string(e.Type))
	case *network.EventRequestWillBeSent:
		b.asks = append(b.asks, e.Request.URL)
	}
}

// complaints fails the test if the page complained, or asked for anything but what
// begins with home.
func (b *browser) complaints(home string) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, url := range b.asks {
		if !strings.HasPrefix(url, home) && !strings.HasPrefix(url, "data:") {
			b.t.Errorf("the page asks for %s", url)
		}
	}
	if len(b.says) > 0 {
		b.t.Errorf("the browser says: %q", b.says)
	}
}

func (b *browser) run(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) number(script string) int { return evaluated[int](b, script) }

func (b *browser) text(script string) string { return evaluated[string](b, script) }

func evaluated[T any](b *browser, script string) T {
	b.t.Helper()
	x, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		b.t.Fatal(err)
	}
	return x
}

// picture keeps the page as a picture in the folder that MACPRO_FIGURES names.
func (b *browser) picture(name string) {
	dir := os.Getenv("MACPRO_FIGURES")
	if dir == "" {
		return
	}
	data, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

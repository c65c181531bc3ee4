package page

import (
	"bytes"
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

	"macpro/core/report/internal/study"
	"macpro/core/report/read"
	"macpro/core/report/spec"
	"macpro/core/report/tables"
)

func library(t *testing.T) *spec.Library {
	t.Helper()
	lib, err := spec.Open(study.Files(t))
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// pageOf writes a page of a study with contexts, heads and a run in progress.
func pageOf(t *testing.T) []byte {
	t.Helper()
	set := study.Full()
	set.Runs = append(set.Runs, study.Contextual().Runs...)
	last := set.Runs[len(set.Runs)-1]
	last.Choices = map[string][][]int{"ctde": {{5, 1}, {0, 7}, {}, {1, 1, 1}}}
	last.TaskHeads = []int{0, 1, 1, 2}
	last.Expansions = []read.Expansion{{T: 1000, Task: "task2", Decision: "new", Head: 1, Details: map[string]any{
		"candidates": []any{0.0, 1.0}, "distance": []any{0.25, 9.0}, "radius": []any{0.5, 0.5}, "ratio": []any{0.5, 18.0}, "nearest": 0.0, "lambda_new": 1.5}}}
	set.Runs[0].Status = "running"
	set.Runs[0].ID = `<script>alert("run")</script>`
	set.Runs[0].Dir = "/results/runs/x"
	var b bytes.Buffer
	if err := Write(&b, Page{Title: "a study", Version: "1", Set: set, Options: tables.Options{Library: library(t)}, Dir: "/results"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPageHoldsEverything(t *testing.T) {
	page := string(pageOf(t))
	for _, want := range []string{
		"Final scores on LBF, qmix", "Ablations of MACPro", "Scores on tasks that were never trained", "Contexts of PP, pp10 tasks",
		"0.81 ± 0.18", `class="missing"`, `class="best"`, "1 running", "runs/x/journal.jsonl", "new</td>", `<td class="best">0.25</td>`, "<td>18</td>", "steps_per_task: 1000",
		"Every run: average over the tasks seen so far",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, `<script>alert("run")`) {
		t.Error("a name became a script")
	}
	if page = strings.Replace(page, echarts, "", 1); strings.Contains(page, ` src="`) || strings.Contains(page, `<link rel="stylesheet"`) {
		t.Error("the page wants other files")
	}
}

func TestPageNamesRefusals(t *testing.T) {
	set := study.Small()
	study.With(set.Runs[0], "lr", "0.01")
	var b bytes.Buffer
	if err := Write(&b, Page{Set: set, Options: tables.Options{Library: library(t)}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "must not be mixed") || !strings.Contains(b.String(), "differ in lr (0.01 and absent)") {
		t.Error("the page is silent about runs that do not fit together")
	}
}

// The page draws every chart in a browser without complaint and without a
// request. MACPRO_FIGURES names a folder that keeps a picture of it.
func TestPageInBrowser(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && browser == "" {
			browser = path
		}
	}
	if browser == "" {
		t.Skip("there is no Chromium on this machine")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, pageOf(t), 0o644); err != nil {
		t.Fatal(err)
	}
	alloc, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser), chromedp.NoSandbox, chromedp.WindowSize(1300, 1800))...)
	defer cancel()
	ctx, cancel := chromedp.NewContext(alloc)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var mu sync.Mutex
	var complaints []string
	if err := chromedp.Do(ctx); err != nil { // opens the tab
		t.Fatal(err)
	}
	err := chromedp.Listen(ctx, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		switch e := ev.(type) {
		case *runtime.EventExceptionThrown:
			complaints = append(complaints, e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			complaints = append(complaints, e.Entry.Text)
		case *runtime.EventConsoleAPICalled:
			complaints = append(complaints, "console: "+string(e.Type))
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; !strings.HasPrefix(u, "file://") && !strings.HasPrefix(u, "data:") {
				complaints = append(complaints, "request: "+u)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+file), chromedp.WaitReady("#chart0 canvas")); err != nil {
		t.Fatal(err)
	}
	number := func(script string) int {
		n, err := chromedp.Run(ctx, chromedp.Evaluate[int](script))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	charts := number(`document.querySelectorAll('.chart').length`)
	drawn := number(`document.querySelectorAll('.chart canvas').length`)
	asked := number(`performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length`)
	for _, c := range drawnCharts {
		got, err := chromedp.Run(ctx, chromedp.Evaluate[string](chartTools+"String("+c.script+")"))
		if err != nil || got != c.want {
			t.Errorf("%s: %q, want %q; %v", c.what, got, c.want, err)
		}
	}
	picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(complaints) > 0 || asked > 0 {
		t.Errorf("%d resources asked for, the browser says: %q", asked, complaints)
	}
	if charts < 10 || drawn < charts {
		t.Errorf("%d of %d charts are drawn", drawn, charts)
	}
	if dir := os.Getenv("MACPRO_FIGURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "page.png"), picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// chartTools find a chart of the page, and what is on its canvas.
const chartTools = `
window.all = () => [...document.querySelectorAll('.chart')].map(e => echarts.getInstanceByDom(e));
window.find = (title, type) => all().find(c => c.getOption().title[0].text === title && c.getOption().series.some(s => s.type === type));
window.marks = (chart, type) => chart.getZr().storage.getDisplayList().filter(e => e.type === type);
window.filled = (chart, fill) => marks(chart, 'polygon').filter(e => fill.test(e.style.fill));
window.texts = chart => marks(chart, 'tspan').map(e => e.style.text);
`

// drawnCharts is what the charts of pageOf show in a browser.
var drawnCharts = []struct{ what, script, want string }{
	{"bands", `filled(find('task 3: task3', 'line'), /^rgba.*0\.22\)$/).length`, "7"},
	{"bands behind lines", `(c => Math.max(...filled(c, /0\.22/).map(e => e.z)) < Math.min(...marks(c, 'ec-polyline').map(e => e.z)))(find('task 3: task3', 'line'))`, "true"},
	{"dashes", `find('task 3: task3', 'line').getOption().series.filter(s => s.type === 'line').map(s => s.lineStyle.type).join()`, "solid,solid,solid,solid,solid,dashed,dashed"},
	{"span", `(c => { const p = filled(c, /^#b0b0b0$/).flatMap(e => e.shape.points.map(q => c.convertFromPixel('grid', q)));
		return [0, 1].flatMap(k => [Math.min, Math.max].map(end => end(...p.map(v => v[k])).toFixed(2))); })(find('task 3: task3', 'line'))`, "2000.00,3000.00,0.00,0.05"},
	{"legend", `(c => c.getOption().legend[0].data.join() + texts(c).filter(t => /series/.test(t)))(find('task 3: task3', 'line'))`, "Finetuning,EWC,Coreset,OWL,MACPro,Random,Oracle"},
	{"long legends scroll", `all().map(c => c.getOption().legend[0]).every(l => (l.type === 'scroll') === (l.data.length > 8))`, "true"},
	{"labels of steps", `texts(find('task 3: task3', 'line')).filter(t => /k$/.test(t)).join()`, "1k,2k,3k,4k,5k"},
	{"millions", `find('LBF', 'line').getOption().xAxis[0].axisLabel.formatter(1500000)`, "1.5M"},
	{"names of axes", `texts(find('task 3: task3', 'line')).filter(t => /score|steps/.test(t)).sort().join()`, "score,training steps"},
	{"tooltip", `find('LBF', 'line').getOption().tooltip[0].formatter([{marker: '', seriesName: '<b>', value: [1, 1]}, {marker: '', seriesName: 'EWC', value: [2000, 0.5]}])`, "EWC 0.500"},
	{"steps", `find('heads', 'line').getOption().series.map(s => s.step).join()`, "end,end"},
	{"bars, none for NaN", `marks(find('LBF', 'bar'), 'rect').filter(e => e.z === 2).length`, "8"}, // of 4 series in 3 categories
	{"error bars", `marks(find('LBF', 'bar'), 'polyline').filter(e => e.style.stroke === '#333').length % 3`, "0"},
	{"error bars over their bars", `(c => { const bars = marks(c, 'rect').filter(e => e.z === 2).map(e => (e.shape.x + e.shape.width / 2).toFixed(0));
		const bars3 = marks(c, 'polyline').filter(e => e.style.stroke === '#333').map(e => ((Math.min(...e.shape.points.map(p => p[0])) + Math.max(...e.shape.points.map(p => p[0]))) / 2).toFixed(0));
		return bars3.length > 0 && bars3.every(x => bars.includes(x)); })(find('LBF', 'bar'))`, "true"},
	{"triangles", `marks(find('step 3k', 'scatter'), 'path').filter(e => e.shape.symbolType === 'triangle').length`, "80"},
	{"no animation", `all().some(c => c.getOption().animation)`, "false"},
	{"icons", `all().every(c => marks(c, 'path').filter(e => e.z === 6).length === (c.getOption().toolbox[0].feature.dataZoom ? 3 : 1))`, "true"},
	{"zoom keeps lines", `all().map(c => c.getOption().toolbox[0].feature.dataZoom).every(z => !z || z.filterMode === 'none')`, "true"},
	{"walls of a box", `filled(find('step 1k', 'scatter'), /246,246,246/).filter(e => /196,196,196/.test(e.style.stroke)).length`, "3"},
	{"names of components", `texts(find('step 1k', 'scatter')).filter(t => /component/.test(t)).map(t => t.replace(/ \(.*%\)$/, ' and share')).join()`, "component 1 and share,component 2 and share,component 3 and share"},
	{"one scale", `(c => { const [[x0, y0], [x1, y1]] = [[0, 0], [3, 3]].map(p => c.convertToPixel('grid', p));
		return (x1 - x0 + y1 - y0).toFixed(1); })(find('step 1k', 'scatter'))`, "0.0"},
	{"a box fits", `(c => { const [g] = c.getOption().grid, [a, b] = options[c.getDom().id].extent.map(p => c.convertToPixel('grid', p));
		return a[0] > g.left - 1 && b[0] < c.getWidth() - g.right + 1 && b[1] > g.top - 1 && a[1] < c.getHeight() - g.bottom + 1; })(find('step 1k', 'scatter'))`, "true"},
	{"all points of a box", `marks(find('step 1k', 'scatter'), 'path').filter(e => e.z === 2 && e.shape.width).length`, "163"}, // 2 tasks, 20 times g and 3 f; 3 names
	{"legend of a box", `find('step 1k', 'scatter').getOption().legend[0].data.join()`, "head 0,head 1"},
	{"tooltip of a box", `find('step 1k', 'scatter').getOption().tooltip[0].formatter({marker: '', seriesName: 'head 0', value: [9, 9, 1, 2, 3]})`, "head 0 1.000, 2.000, 3.000"},
}

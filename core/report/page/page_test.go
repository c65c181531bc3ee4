package page

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"macpro/core/record"
	"macpro/core/report/internal/study"
	"macpro/core/report/read"
	"macpro/core/report/tables"
)

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
	set.Runs[0].Alarms, set.Runs[0].Settings["q_alarm_factor"] = 1, "1.2"
	var b bytes.Buffer
	if err := Write(&b, Page{Title: "a study", Version: "1", Set: set, Options: tables.Options{Library: study.Library(t)}, Dir: "/results"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestPageHoldsEverything(t *testing.T) {
	page := string(pageOf(t))
	for _, want := range []string{
		"Ablations of MACPro", "MACPro, W/o expansion test, PP, QMIX, pp10, seed 3", "W/o cont. g, l", "Final scores on LBF, QMIX", "Scores on tasks that were never trained", "Contexts of PP, pp10 tasks",
		"0.81 ± 0.18", `class="best"`, "1 running", "runs/x/journal.jsonl", "new</td>", `<td class="best">0.25</td>`, "<td>18</td>", "steps_per_task: 1000",
		"Every run: average over the tasks seen so far", "alarm: the mean Q_tot rose above 1.2 times the largest return",
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

// What was not run has no row and no chart.
func TestPageLeavesOutWhatWasNotRun(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, Page{Set: study.Small(), Options: tables.Options{Library: study.Library(t)}}); err != nil {
		t.Fatal(err)
	}
	page := strings.Replace(b.String(), echarts, "", 1)
	for _, gone := range []string{">EWC<", ">Coreset<", "W/o model", "Marines"} {
		if strings.Contains(page, gone) {
			t.Errorf("%s was not run and is on the page", gone)
		}
	}
	for _, want := range []string{"<td class=\"l\">Finetuning</td>", "<td class=\"l\">MACPro, LBF</td>", "3 done", "0.90 ± 0.01"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestPageNamesRefusals(t *testing.T) {
	set := study.Small()
	study.With(set.Runs[0], "lr", "0.01")
	var b bytes.Buffer
	if err := Write(&b, Page{Set: set, Options: tables.Options{Library: study.Library(t)}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "must not be mixed") || !strings.Contains(b.String(), "differ in lr (0.01 and absent)") {
		t.Error("the page is silent about runs that do not fit together")
	}
}

// The page draws every chart in a browser without complaint and without a
// request, and fits a screen of any width. MACPRO_FIGURES names a folder that keeps
// pictures of it.
func TestPageInBrowser(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, pageOf(t), 0o644); err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t)
	for _, width := range []int{1280, 390} {
		screen := chromedp.EmulateViewport(int64(width), 1800)
		if width < 600 {
			screen = chromedp.EmulateViewport(int64(width), 1800, chromedp.EmulateMobile)
		}
		b.run(screen)
		b.run(chromedp.Navigate("file://"+file), chromedp.WaitReady("#chart0 canvas"))
		charts := b.number(`document.querySelectorAll('.chart').length`)
		if drawn := b.number(`document.querySelectorAll('.chart canvas').length`); charts < 10 || drawn < charts {
			t.Errorf("%d of %d charts are drawn", drawn, charts)
		}
		if wide := b.number(`document.documentElement.scrollWidth`); wide > width {
			t.Errorf("the page is %d wide on a screen of %d", wide, width)
		}
		if n := b.number(`[...document.querySelectorAll('.chart')].filter(e => e.getBoundingClientRect().right > innerWidth).length`); n > 0 {
			t.Errorf("%d charts stick out of a screen of %d", n, width)
		}
		if n := b.number(`document.querySelectorAll('details[open]').length`); n > 0 {
			t.Errorf("%d parts are unfolded", n)
		}
		if asked := b.number(`performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length`); asked > 0 {
			t.Errorf("%d resources were asked for", asked)
		}
		if width == 1280 {
			for _, c := range drawnCharts {
				if got := b.text(chartTools + "String(" + c.script + ")"); got != c.want {
					t.Errorf("%s: %q, want %q", c.what, got, c.want)
				}
			}
		}
		b.picture(fmt.Sprintf("page-%d.png", width))
	}
	b.complaints("file://")
}

// A live page takes over what has changed without being loaded again: what was
// unfolded stays so.
func TestLivePage(t *testing.T) {
	set := study.Small()
	going := set.Runs[0]
	going.Status, going.Now = record.Running, read.Now{Loss: 0.125, Epsilon: 0.5, Speed: 100}
	going.TEnv, going.WallS = 1000, 90
	lib := study.Library(t)
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if err := Write(w, Page{Title: "live", Set: set, Options: tables.Options{Library: lib}, Live: true}); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	b := openBrowser(t)
	b.run(chromedp.Navigate(server.URL), chromedp.WaitReady("#chart0 canvas"))
	line := `[...document.querySelectorAll('#runs ~ .scroll tr')].find(r => /running/.test(r.textContent)).textContent`
	for _, want := range []string{"Finetuning, LBF, seed 1", "1k of 5k", "0.125", "0.50", "100 steps/s", "40 s", "2 min"} {
		if got := b.text(line); !strings.Contains(got, want) {
			t.Errorf("the running run lacks %q: %s", want, got)
		}
	}
	b.text(`window.same = true; document.querySelector('details').open = true; echarts.getInstanceByDom(document.querySelector('#chart0')).mark = 1; ''`)
	mu.Lock()
	going.TEnv, going.Now.Loss = 2000, 0.0625
	mu.Unlock()
	for end := time.Now().Add(3 * time.Minute); !strings.Contains(b.text(line), "0.0625"); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the page does not renew itself")
		}
	}
	if got := b.text(`String([window.same, document.querySelectorAll('details[open]').length, echarts.getInstanceByDom(document.querySelector('#chart0')).mark,
		document.querySelectorAll('.chart canvas').length - document.querySelectorAll('.chart').length])`); got != "true,1,1,0" {
		t.Errorf("loaded again, folded or drawn again: %s", got)
	}
	b.complaints(server.URL)
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
	{"bands", `filled(find('task 3: task3', 'line'), /^rgba.*0\.13\)$/).length`, "7"},
	{"bands behind lines", `(c => Math.max(...filled(c, /0\.13/).map(e => e.z)) < Math.min(...marks(c, 'ec-polyline').map(e => e.z)))(find('task 3: task3', 'line'))`, "true"},
	{"dashes", `find('task 3: task3', 'line').getOption().series.filter(s => s.type === 'line').map(s => s.lineStyle.type).join()`, "dotted,dashed,7,3,2,3,12,3,solid,dotted,dashed"},
	{"span", `(c => { const p = filled(c, /232,232,232/).flatMap(e => e.shape.points.map(q => c.convertFromPixel('grid', q)));
		return [0, 1].flatMap(k => [Math.min, Math.max].map(end => end(...p.map(v => v[k])).toFixed(2))); })(find('task 3: task3', 'line'))`, "2000.00,3000.00,0.00,1.00"},
	{"legend", `(c => c.getOption().legend[0].data.join() + texts(c).filter(t => /series/.test(t)))(find('task 3: task3', 'line'))`, "Finetuning,EWC,Coreset,OWL,MACPro,Random,Oracle"},
	{"long legends scroll", `all().map(c => c.getOption().legend[0]).every(l => (l.type === 'scroll') === (l.data.length > 8))`, "true"},
	{"labels of steps", `texts(find('task 3: task3', 'line')).filter(t => /k$/.test(t)).join()`, "1k,2k,3k,4k,5k"},
	{"millions", `find('LBF', 'line').getOption().xAxis[0].axisLabel.formatter(1500000)`, "1.5M"},
	{"names of axes", `texts(find('task 3: task3', 'line')).filter(t => /score|steps/.test(t)).sort().join()`, "score,training steps"},
	{"tooltip", `find('LBF', 'line').getOption().tooltip[0].formatter([{marker: '', seriesName: '<b>', value: [1, 1]}, {marker: '', seriesName: 'EWC', value: [2000, 0.5]}])`, "EWC 0.500"},
	{"steps", `find('heads', 'line').getOption().series.map(s => s.step).join()`, "end,end"},
	{"bars, none for NaN", `marks(find('LBF', 'bar'), 'rect').filter(e => e.z === 2).length`, "7"}, // QMIX has 4, VDN lacks one, QPLEX was not run
	{"error bars", `marks(find('LBF', 'bar'), 'polyline').filter(e => e.style.stroke === '#333').length % 3`, "0"},
	{"error bars over their bars", `(c => { const bars = marks(c, 'rect').filter(e => e.z === 2).map(e => (e.shape.x + e.shape.width / 2).toFixed(0));
		const bars3 = marks(c, 'polyline').filter(e => e.style.stroke === '#333').map(e => ((Math.min(...e.shape.points.map(p => p[0])) + Math.max(...e.shape.points.map(p => p[0]))) / 2).toFixed(0));
		return bars3.length > 0 && bars3.every(x => bars.includes(x)); })(find('LBF', 'bar'))`, "true"},
	{"triangles", `marks(find('step 3k', 'scatter'), 'path').filter(e => e.shape.symbolType === 'triangle').length`, "80"},
	{"components", `texts(find('step 1k', 'scatter')).filter(t => /component/.test(t)).map(t => t.replace(/ \(.*%\)$/, ' and share')).sort().join()`, "component 1 and share,component 2 and share"},
	{"all points of contexts", `find('step 1k', 'scatter').getOption().series.reduce((n, s) => n + s.data.length, 0)`, "160"}, // 2 tasks, 20 times g and 3 f
	{"borders of tasks", `find('LBF', 'line').getOption().series.flatMap(s => s.markLine ? s.markLine.data.map(d => d.xAxis) : []).join()`, "1000,2000,3000,4000"},
	{"marks", `new Set(find('LBF', 'line').getOption().series.filter(s => s.type === 'line').map(s => s.symbol)).size`, "7"},
	{"no animation", `all().some(c => c.getOption().animation)`, "false"},
	{"icons", `all().every(c => marks(c, 'path').filter(e => e.z === 6).length === (c.getOption().toolbox[0].feature.dataZoom ? 3 : 1))`, "true"},
	{"zoom keeps lines", `all().map(c => c.getOption().toolbox[0].feature.dataZoom).every(z => !z || z.filterMode === 'none')`, "true"},
}

// Cells that no run has begun stand behind the runs, up to a bound, with what is known.
func TestPageShowsCellsThatWait(t *testing.T) {
	cell := Cell{Sweep: "grid", ID: "ab12cd", Status: "pending", Alg: "macpro", Ablation: "none", Env: "lbf", Learner: "qmix",
		Settings: []string{"lr=0.002", "from=x@1:" + strings.Repeat("0123456789abcdef", 4)}, Seed: 3, Steps: 12000}
	failed, hostile := cell, cell
	failed.Status, failed.Ablation, hostile.Settings = "failed", "without_reg", []string{"tasks=<b>\x1b"}
	many := make([]Cell, mostCells+2)
	for i := range many {
		many[i] = cell
	}
	for name, c := range map[string]struct {
		cells      []Cell
		want, gone []string
	}{
		"none": {nil, []string{"12 runs: 12 done. Made"}, []string{"waiting\"", "without a run"}},
		"two": {[]Cell{cell, failed}, []string{"12 runs: 12 done. 2 cells without a run: 1 pending, 1 failed. Made",
			"MACPro, LBF, QMIX, lr=0.002, from=x@1:0123456789ab, seed 3<br><small>grid ab12cd</small></td><td class=\"l\">pending<", "0 of 12k<", "MACPro, W/o reg, LBF"},
			[]string{"more cells", "abcdef0123", "settings of MACPro, LBF, QMIX, lr=0.002"}},
		"hostile": {[]Cell{hostile}, []string{`tasks=&lt;b&gt;\x1b`}, []string{"<b>"}},
		"many":    {many, []string{"202 cells without a run: 202 pending", "2 more cells without a run."}, nil},
	} {
		var b bytes.Buffer
		if err := Write(&b, Page{Set: study.Small(), Cells: c.cells, Options: tables.Options{Library: study.Library(t)}}); err != nil {
			t.Fatal(err)
		}
		page := strings.Replace(b.String(), echarts, "", 1)
		for _, want := range c.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: the page lacks %q", name, want)
			}
		}
		for _, gone := range c.gone {
			if strings.Contains(page, gone) {
				t.Errorf("%s: the page has %q", name, gone)
			}
		}
		if n, want := strings.Count(page, `<tr class="waiting"`), min(len(c.cells), mostCells); n != want {
			t.Errorf("%s: %d cells on the page, want %d", name, n, want)
		}
	}
}

package report

import (
	"image/color"
	"slices"

	"macpro/core/names"
	"macpro/core/palette"
)

// Figure is a picture apart from how it is drawn: panels side by side with one
// legend below them.
type Figure struct {
	Kind    string
	Title   string
	Columns int // panels in a row
	Panels  []Panel
	Foot    []string
	Runs    []*Summary
}

// Panel is one set of axes with lines, bars or points on it.
type Panel struct {
	Title, X, Y string
	// Z names a third axis: Points then lie in a box, on one scale. "" is a panel
	// of two axes.
	Z string
	// Low and High bound the y axis; equal values leave it to the data.
	Low, High  float64
	Spans      []Span // grey strips at the bottom
	Lines      []Line
	Categories []string // of Bars, along the x axis
	Bars       []Bars
	Points     []Points
}

// Span is an interval of the x axis.
type Span struct{ From, To float64 }

// Line is a curve with a band around it. Low and High may be nil.
type Line struct {
	Label  string
	Color  color.NRGBA
	Dashed bool
	Step   bool // the value holds until the next point
	X, Y   []float64
	Low    []float64
	High   []float64
}

// Bars is one value a category; NaN draws nothing. Low and High are the ends of
// the error bars.
type Bars struct {
	Label  string
	Color  color.NRGBA
	Values []float64
	Low    []float64
	High   []float64
}

// Points is a cloud of points.
type Points struct {
	Label    string
	Color    color.NRGBA
	Triangle bool // instead of circles
	X, Y     []float64
	Z        []float64 // of panels with a third axis
}

// colors of methods.
var colors = map[string]color.NRGBA{
	"finetuning": palette.Grey,
	"ewc":        palette.Orange,
	"coreset":    palette.Sky,
	"owl":        palette.Green,
	"macpro":     palette.Vermilion,
	"random":     palette.Purple,
	"oracle":     palette.Blue,
	"paper":      palette.Silver,
}

// colorOf is the same for a method everywhere, also for one that is not among those
// above.
func colorOf(key string) color.NRGBA {
	if c, ok := colors[key]; ok {
		return c
	}
	return palette.Named(key)
}

// headColors are none of those of the curves beside contexts.
var headColors = []color.NRGBA{palette.Green, palette.Orange, palette.Sky, palette.Purple, palette.Olive, palette.Yellow, palette.Black, palette.Blue}

// headColor is the colour of a saved head; after the last comes the first again.
func headColor(head int) color.NRGBA { return headColors[head%len(headColors)] }

// figures by name.
var figures = []struct {
	name, help string
	build      func(*builder) ([]*Figure, error)
}{
	{"main", "average over the tasks seen so far, a panel an environment", (*builder).mainFigure},
	{"tasks", "the curve of every task, its own training in grey", (*builder).taskFigures},
	{"ablation", "final averages without one part, beside the paper's", (*builder).ablationFigure},
	{"integrative", "final averages of three learners, beside the paper's", (*builder).integrativeFigure},
	{"generalization", "scores on tasks that were never trained", (*builder).generalizationFigure},
	{"sensitivity", "final averages under other values of a key", (*builder).sensitivityFigure},
	{"context", "contexts of tasks on their principal components, number of heads, and curves", (*builder).contextFigure},
}

// FigureKinds lists the names of all figures.
func FigureKinds() []string {
	var out []string
	for _, f := range figures {
		out = append(out, f.name)
	}
	return out
}

// FigureHelp is one line about a kind of figure.
func FigureHelp(kind string) string {
	for _, f := range figures {
		if f.name == kind {
			return f.help
		}
	}
	return ""
}

// Draw makes the figures of a kind. Its errors are those of Build.
func Draw(kind string, set *Set, o Options) ([]*Figure, error) {
	for _, f := range figures {
		if f.name != kind {
			continue
		}
		b, err := newBuilder(set, o)
		if err != nil {
			return nil, err
		}
		drawn, err := f.build(b)
		if err != nil {
			return nil, err
		}
		return b.finishFigures(kind, drawn)
	}
	return nil, names.Unknown("figure", kind, FigureKinds())
}

// finishFigures leaves out empty panels and checks the runs as tables do.
func (b *builder) finishFigures(kind string, drawn []*Figure) ([]*Figure, error) {
	var out []*Figure
	var used []*Summary
	for _, f := range drawn {
		f.Panels = slices.DeleteFunc(f.Panels, Panel.empty)
		if len(f.Panels) > 0 {
			out, used = append(out, f), append(used, f.Runs...)
		}
	}
	if len(out) == 0 {
		return nil, &NoRunsError{"the figure " + kind, b.notes}
	}
	b.unlike = append(b.unlike, unlike(used)...)
	if len(b.unlike) > 0 && !b.o.Mix {
		return nil, &UnlikeError{slices.Compact(b.unlike)}
	}
	for _, f := range out {
		f.Foot = append(f.Foot, b.caption(f)...)
	}
	return out, nil
}

func uniqueRuns(runs []*Summary) []*Summary {
	var out []*Summary
	for _, s := range runs {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// solid says whether a panel has a third axis.
func (p Panel) solid() bool { return p.Z != "" }

func (p Panel) empty() bool { return len(p.Lines) == 0 && len(p.Bars) == 0 && len(p.Points) == 0 }

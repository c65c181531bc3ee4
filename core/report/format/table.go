package format

import (
	"fmt"
	"image/color"
	"slices"
	"strconv"
	"strings"

	"macpro/core/metrics"
	"macpro/core/names"
	"macpro/core/report/read"
	"macpro/core/report/stats"
)

// Table is a finished table of any kind.
type Table struct {
	Kind    string   `json:"kind"`
	Title   string   `json:"title"`
	Stats   string   `json:"stats"` // StatsMean or StatsIQM
	Head    []string `json:"head"`  // headers of the label columns
	Columns []Column `json:"columns"`
	Rows    []Row    `json:"rows"`
	// Foot says where the numbers come from: formula, profile, runs.
	Foot []string `json:"foot"`
	// Runs are those that the table shows.
	Runs []*read.Summary `json:"-"`
}

// Column is one column of numbers.
type Column struct {
	Name string `json:"name"`
	// Better is +1 if larger values are better, -1 for smaller, 0 for neither:
	// then no value is set in bold.
	Better int `json:"better"`
}

// Row is a method, an ablation or a setting.
type Row struct {
	Key    string   `json:"key"`
	Labels []string `json:"labels"`
	Cells  []Cell   `json:"cells"`
	// Block names the rows among which the best is sought.
	Block string `json:"block,omitempty"`
	// Unranked rows never count as best: Oracle knows what others must find out.
	Unranked bool `json:"unranked,omitempty"`
	Source
	Color color.NRGBA `json:"-"` // in pictures
	Lost  []string    `json:"-"` // the diverged runs of a row that has no other
}

// Cell is the score of a row in a column over seeds. Missing cells have no
// values and NaN everywhere.
type Cell struct {
	Values []metrics.Number `json:"values"` // one a run
	Mean   metrics.Number   `json:"mean"`
	Std    metrics.Number   `json:"std"` // population standard deviation
	// IQM and Interval (95 %) are set with StatsIQM.
	IQM      metrics.Number `json:"iqm"`
	Interval stats.Interval `json:"interval"`
	Paper    *PaperValue    `json:"paper,omitempty"`
	Best     bool           `json:"best,omitempty"`
	// Undefined cells have no value by their nature; none is missing.
	Undefined bool `json:"undefined,omitempty"`
	// Source is set where the cells of a row are of different runs.
	Source *Source `json:"source,omitempty"`
}

// Source says which runs a row or a cell is of.
type Source struct {
	Seeds []int64  `json:"seeds"` // each once
	Runs  []string `json:"runs"`
	Group string   `json:"group"` // hash of the configuration without the seed
}

// Missing says that no run stands behind the cell.
func (c Cell) Missing() bool { return len(c.Values) == 0 }

// Single says that the cell is of one seed; a probability, which has no deviation
// but an interval, is not.
func (c Cell) Single() bool { return len(c.Values) == 1 && c.Std == 0 }

// Difference is our mean minus the paper's.
func (c Cell) Difference() float64 { return float64(c.Mean) - c.Paper.Mean }

// Statistics of a table.
const (
	StatsMean = "mean"
	StatsIQM  = "iqm"
)

// Text is the cell's number as the paper prints it, or with its interval.
func (t *Table) Text(c Cell) string {
	switch {
	case c.Undefined:
		return "–"
	case c.Missing():
		return "missing"
	case c.Single(): // which has no spread
		return printed(c.Mean)
	case t.Stats == StatsIQM:
		return fmt.Sprintf("%s [%s, %s]", printed(c.IQM), printed(c.Interval.Low), printed(c.Interval.High))
	}
	return fmt.Sprintf("%s ± %s", printed(c.Mean), printed(c.Std))
}

// printed is a number with two digits, of which zero has no sign.
func printed[F ~float64](x F) string { return strconv.FormatFloat(Hundredths(float64(x)), 'f', 2, 64) }

// Hundredths is the number that two digits show.
func Hundredths(x float64) float64 {
	shown, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', 2, 64), 64)
	if err != nil {
		return x
	}
	return shown + 0 // -0 + 0 is 0
}

// PaperText is what the paper printed and, in brackets, our mean minus it; ""
// if it printed nothing.
func PaperText(c Cell) string {
	switch {
	case c.Paper == nil:
		return ""
	case c.Missing():
		return fmt.Sprintf("%.2f ± %.2f", c.Paper.Mean, c.Paper.Std)
	}
	return fmt.Sprintf("%.2f ± %.2f (%+.2f)", c.Paper.Mean, c.Paper.Std, Hundredths(c.Difference()))
}

// HasPaper says whether any cell of the row was printed.
func (r Row) HasPaper() bool {
	return slices.ContainsFunc(r.Cells, func(c Cell) bool { return c.Paper != nil })
}

// MarkBest marks the best mean (or IQM) of every column within each block of
// rows, and its equals in print.
func (t *Table) MarkBest() {
	for i, col := range t.Columns {
		if col.Better == 0 {
			continue
		}
		rank := func(c Cell) float64 { // larger is better
			x := float64(c.Mean)
			if t.Stats == StatsIQM {
				x = float64(c.IQM)
			}
			return float64(col.Better) * Hundredths(x)
		}
		best, ranked := map[string]float64{}, map[string]int{}
		for _, r := range t.Rows {
			if r.Unranked || r.Cells[i].Missing() {
				continue
			}
			if ranked[r.Block]++; ranked[r.Block] == 1 || rank(r.Cells[i]) > best[r.Block] {
				best[r.Block] = rank(r.Cells[i])
			}
		}
		for j := range t.Rows {
			r, c := &t.Rows[j], &t.Rows[j].Cells[i]
			c.Best = ranked[r.Block] > 1 && !r.Unranked && !c.Missing() && rank(*c) == best[r.Block]
		}
	}
}

// Sources says which runs a row is of, or each of its cells.
func (t *Table) Sources(r Row) []string {
	name := strings.Join(r.Labels, " ")
	var out []string
	for i, c := range r.Cells {
		if c.Source != nil && len(c.Source.Runs) > 0 {
			out = append(out, name+", "+t.Columns[i].Name+": "+c.Source.Text())
		}
	}
	switch {
	case len(out) > 0:
		return out
	case len(r.Lost) > 0:
		return []string{name + ": –, no finished run; diverged: " + strings.Join(r.Lost, " ")}
	case len(r.Runs) == 0:
		return []string{name + ": missing, no finished run"}
	}
	return []string{name + ": " + r.Text()}
}

// Text names the runs.
func (s Source) Text() string {
	return fmt.Sprintf("%s, configuration %s: %s", names.Many(len(s.Runs), "run"), Short(s.Group), strings.Join(s.Runs, " "))
}

// Short is the beginning of a hash.
func Short(hash string) string { return hash[:min(len(hash), 12)] }

// PaperValue is a printed mean with its spread.
type PaperValue struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
}

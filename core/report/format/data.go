package format

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"macpro/core/metrics"
)

func writeCSV(w io.Writer, tables []*Table) error {
	c := csv.NewWriter(w)
	lines := [][]string{{"table", "title", "row", "column", "n", "mean", "std", "iqm", "low", "high",
		"paper_mean", "paper_std", "difference", "best", "seeds", "configuration", "runs"}}
	for _, t := range tables {
		for _, r := range t.Rows {
			for i, cell := range r.Cells {
				lines = append(lines, csvLine(t, r, t.Columns[i].Name, cell))
			}
		}
	}
	if err := c.WriteAll(lines); err != nil {
		return err
	}
	return c.Error()
}

func csvLine(t *Table, r Row, column string, c Cell) []string {
	paper := []string{"", "", ""}
	if c.Paper != nil {
		paper = []string{decimal(metrics.Number(c.Paper.Mean)), decimal(metrics.Number(c.Paper.Std)), ""}
		if !c.Missing() {
			paper[2] = decimal(metrics.Number(c.Difference()))
		}
	}
	src := r.Source
	if c.Source != nil {
		src = *c.Source
	}
	seeds := make([]string, len(src.Seeds))
	for i, s := range src.Seeds {
		seeds[i] = fmt.Sprint(s)
	}
	if c.Single() {
		c.Std = metrics.Number(math.NaN()) // one seed has none
	}
	line := []string{t.Kind, CSVText(t.Title), CSVText(strings.Join(r.Labels, " ")), CSVText(column), strconv.Itoa(len(c.Values)),
		decimal(c.Mean), decimal(c.Std), decimal(c.IQM), decimal(c.Interval.Low), decimal(c.Interval.High)}
	return append(append(line, paper...), strconv.FormatBool(c.Best), strings.Join(seeds, " "), CSVText(src.Group), CSVText(strings.Join(src.Runs, " ")))
}

func decimal(x metrics.Number) string {
	if x != x {
		return ""
	}
	return strconv.FormatFloat(float64(x), 'g', 12, 64)
}

func writeJSON(w io.Writer, tables []*Table) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(tables)
}

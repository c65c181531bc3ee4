package data

import (
	"encoding/csv"
	"io"
	"iter"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"macpro/core/report/format"
)

// groupRows bounds the rows that a Parquet file keeps in memory while it is
// written; batch those that are handed over at once.
const (
	groupRows = 1 << 20
	batch     = 1 << 10
)

// columns are those of CSV, named as in Parquet.
var columns = []string{"run", "seed", "method", "ablation", "env", "learner", "profile", "settings", "task", "mode", "seen", "t_env", "metric", "value"}

// CSV writes a table with a line of names.
func CSV(w io.Writer, rows iter.Seq2[Row, error]) error {
	c := csv.NewWriter(w)
	if err := c.Write(columns); err != nil {
		return err
	}
	line := make([]string, 0, len(columns))
	for r, err := range rows {
		if err != nil {
			return err
		}
		line = append(line[:0], r.Run, strconv.FormatInt(r.Seed, 10))
		for _, text := range []string{r.Method, r.Ablation, r.Env, r.Learner, r.Profile, r.Settings, r.Task, r.Mode} {
			line = append(line, format.CSVText(text))
		}
		line = append(line, strconv.FormatBool(r.Seen), strconv.FormatInt(r.TEnv, 10), format.CSVText(r.Metric), strconv.FormatFloat(r.Value, 'g', -1, 64))
		if err := c.Write(line); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Parquet writes a Parquet file, compressed with Zstandard.
func Parquet(w io.Writer, rows iter.Seq2[Row, error]) error {
	p := parquet.NewGenericWriter[Row](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(groupRows))
	waiting := make([]Row, 0, batch)
	flush := func() error {
		_, err := p.Write(waiting)
		waiting = waiting[:0]
		return err
	}
	for r, err := range rows {
		if err != nil {
			return err
		}
		if waiting = append(waiting, r); len(waiting) == batch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return p.Close()
}

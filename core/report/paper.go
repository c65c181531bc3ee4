package report

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Paper holds the values that the MACPro paper printed.
type Paper struct {
	Tables struct {
		Ablation struct {
			Rows []struct {
				Key   string                `json:"key"`
				Name  string                `json:"paper_name"`
				Cells map[string]PaperValue `json:"cells"`
			} `json:"rows"`
		} `json:"ablation"`
		Integrative struct {
			Rows []struct {
				Env    string                `json:"env"`
				Method string                `json:"method"`
				Cells  map[string]PaperValue `json:"cells"`
			} `json:"rows"`
		} `json:"integrative"`
	} `json:"tables"`
}

// PaperValue is a printed mean with its spread.
type PaperValue struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
}

// ParsePaper reads results/paper.json.
func ParsePaper(data []byte) (*Paper, error) {
	var p Paper
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("the paper's values: %w", err)
	}
	return &p, nil
}

// paperTasks is the number of tasks that the paper's averages are over.
var paperTasks = map[string]int{"lbf": 5, "pp": 4}

// ablation returns a printed cell of the ablation table (LBF, QMIX): the score
// of task i from 0, or the average for i = -1. nil if it was not printed.
func (p *Paper) ablation(key string, i, tasks int) *PaperValue {
	if p == nil || tasks != paperTasks["lbf"] {
		return nil
	}
	for _, r := range p.Tables.Ablation.Rows {
		if r.Key != key {
			continue
		}
		col := "average"
		if i >= 0 {
			col = fmt.Sprintf("task_%d", i+1)
		}
		if v, ok := r.Cells[col]; ok {
			return &v
		}
	}
	return nil
}

// integrative returns a printed final average, with MACPro or without.
func (p *Paper) integrative(env, learner string, with bool, tasks int) *PaperValue {
	if p == nil || tasks != paperTasks[env] {
		return nil
	}
	method := "wo_macpro"
	if with {
		method = "w_macpro"
	}
	for _, r := range p.Tables.Integrative.Rows {
		if v, ok := r.Cells[learner]; ok && r.Env == env && r.Method == method {
			return &v
		}
	}
	return nil
}

// main returns what the paper printed of a method of its main comparison: the
// figure itself has no numbers, but MACPro on LBF is the first row of the
// ablation table, and the averages of MACPro and Finetuning are those of the
// integrative table.
func (p *Paper) main(method, env, learner string, i, tasks int) *PaperValue {
	switch {
	case method == reference && env == "lbf" && learner == "qmix":
		return p.ablation("ours", i, tasks)
	case i >= 0 || !slices.Contains([]string{reference, "finetuning"}, method):
		return nil
	}
	return p.integrative(env, learner, method == reference, tasks)
}

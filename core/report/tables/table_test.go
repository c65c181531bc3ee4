package tables

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"macpro/core/metrics"
	"macpro/core/record"
	"macpro/core/report/alike"
	"macpro/core/report/format"
	"macpro/core/report/internal/study"
	"macpro/core/report/read"
	"macpro/core/report/stats"
	"macpro/core/store"
)

func build(t *testing.T, kind string, set *read.Set, o Options) []*format.Table {
	t.Helper()
	o.Library = study.Library(t)
	tables, err := Build(kind, set, o)
	if err != nil {
		t.Fatal(err)
	}
	return tables
}

// cellOf finds a cell by the key of its row and the name of its column.
func cellOf(t *testing.T, table *format.Table, row, column string) format.Cell {
	t.Helper()
	for _, r := range table.Rows {
		for i, c := range table.Columns {
			if r.Key == row && c.Name == column {
				return r.Cells[i]
			}
		}
	}
	t.Fatalf("%s has no cell %s/%s", table.Title, row, column)
	return format.Cell{}
}

func TestMainTable(t *testing.T) {
	tables := build(t, "main", study.Small(), Options{})
	if len(tables) != 2 || tables[0].Title != "Final scores on LBF, QMIX" || len(tables[1].Columns) != 5 {
		t.Fatalf("%d tables", len(tables))
	}
	c := cellOf(t, tables[0], "macpro", "average") // seeds: (4.4+x)/5 with x = .05 .10 .15
	study.Near(t, "mean", float64(c.Mean), 0.9, 1e-9)
	study.Near(t, "std", float64(c.Std), 0.05*0.816496580927726/5, 1e-9)
	if !c.Best || c.Paper == nil || c.Paper.Mean != 0.9 {
		t.Errorf("MACPro's average: best %v, paper %v", c.Best, c.Paper)
	}
	if o := cellOf(t, tables[0], "oracle", "average"); o.Best || o.Missing() {
		t.Errorf("Oracle must be shown and must not be the best: %+v", o)
	}
	if slices.ContainsFunc(tables[0].Rows, func(r format.Row) bool { return r.Key == "ewc" }) {
		t.Error("EWC was never run, the paper printed no number, and it has a row")
	}
	study.Near(t, "random", float64(cellOf(t, tables[0], "random", "task1").Mean), 0.4, 1e-9)
	study.Near(t, "paper pp", cellOf(t, tables[1], "finetuning", "average").Paper.Mean, 0.27, 0)
	foot := strings.Join(tables[0].Foot, "\n")
	for _, want := range []string{"1/M sum_i", "population standard deviation", "profile reduced", "macpro-lbf-s1 macpro-lbf-s2 macpro-lbf-s3", "configuration "} {
		if !strings.Contains(foot, want) {
			t.Errorf("the foot lacks %q:\n%s", want, foot)
		}
	}
}

// Rows follow from the runs: first the paper's methods with runs or with a printed
// number, in the paper's order, then all others.
func TestRowsFollowTheRuns(t *testing.T) {
	with := func(set *read.Set, algs ...string) *read.Set {
		for _, alg := range algs {
			for _, env := range []string{"lbf", "pp", "marines"} {
				set.Runs = append(set.Runs, study.Made(alg, env, 1, map[string][]float64{"single": {1, 1, 1, 1}}))
			}
		}
		for _, s := range set.Runs {
			for _, mode := range s.Modes {
				s.Evaluations = append(s.Evaluations, record.Evaluation{Run: s.ID, Name: record.Generalization,
					Tests: []record.EvaluationTest{{Task: "far", Mode: mode, Score: 0.2}}})
			}
		}
		return set
	}
	const all = "Finetuning MACPro Random Oracle CBP ER PackNet zed"
	for _, c := range []struct {
		kind string
		set  *read.Set
		env  string
		want string
	}{
		{"main", with(study.Small(), "packnet", "cbp", "zed", "er"), "lbf", all},
		{"metrics", with(study.Small(), "packnet", "cbp", "zed", "er"), "lbf", all},
		{"generalization", with(study.Small(), "packnet", "cbp", "zed", "er"), "lbf", strings.ReplaceAll(all, " Oracle", "")},
		{"main", with(&read.Set{}, "er"), "pp", "Finetuning MACPro ER"}, // the paper has averages of two
		{"main", with(&read.Set{}, "er"), "marines", "ER"},
		{"metrics", with(&read.Set{}, "er"), "marines", "ER"},
		{"generalization", with(&read.Set{}, "er", "owl"), "marines", "OWL ER"},
	} {
		tables := build(t, c.kind, c.set, Options{Env: c.env, Mix: true})
		var rows []string
		for _, r := range tables[0].Rows {
			rows = append(rows, r.Labels[0])
		}
		if got := strings.Join(rows, " "); got != c.want {
			t.Errorf("%s on %s: rows %s, want %s", c.kind, c.env, got, c.want)
		}
		if c.kind == "generalization" { // the single tasks
			var columns []string
			for _, col := range tables[1].Columns {
				columns = append(columns, col.Name)
			}
			if got := strings.Join(columns, " "); got != c.want {
				t.Errorf("single tasks on %s: columns %s, want %s", c.env, got, c.want)
			}
		}
	}
}

func TestIQMTableHasImprovement(t *testing.T) {
	table := build(t, "main", study.Small(), Options{Stats: format.StatsIQM, Env: "lbf"})[0]
	p := cellOf(t, table, "finetuning", "P(MACPro better)")
	study.Near(t, "P", float64(p.Mean), (4+0.5)/5, 1e-9) // all but task 5, where both have 1
	if !cellOf(t, table, "macpro", "P(MACPro better)").Undefined {
		t.Error("MACPro is compared with itself")
	}
	c := cellOf(t, table, "macpro", "average")
	if !(c.Interval.Low <= c.IQM && c.IQM <= c.Interval.High) {
		t.Errorf("%v is outside of %v", c.IQM, c.Interval)
	}
}

func TestAblationTable(t *testing.T) {
	set := study.Small()
	for seed := int64(1); seed <= 2; seed++ {
		s := study.With(study.Made("macpro", "lbf", seed, map[string][]float64{"ctde": {0, 0, 0, 0, 1}}), "approx_coef", "0")
		s.Ablation = "without_oracle"
		set.Runs = append(set.Runs, s)
	}
	table := build(t, "ablation", set, Options{})[0]
	if len(table.Rows) != 7 {
		t.Errorf("%d rows, want the paper's 7", len(table.Rows))
	}
	c := cellOf(t, table, "without_oracle", "average")
	study.Near(t, "ours", float64(c.Mean), 0.2, 1e-9)
	study.Near(t, "difference", c.Difference(), 0.2-0.27, 1e-9)
	study.Near(t, "paper's spread", cellOf(t, table, "without_model", "task3").Paper.Std, 0.47, 0)
}

// Every environment with an ablation has a table, in the figure a panel. Those
// where MACPro ran whole have none.
func TestAblationsOfEveryEnvironment(t *testing.T) {
	set := study.Small() // MACPro on LBF and PP
	var none *read.NoRunsError
	if _, err := Build("ablation", set, Options{Library: study.Library(t)}); !errors.As(err, &none) || none.Needs == "" {
		t.Errorf("no ablation has run, but: %v", err)
	}
	ablated := []*read.Summary{
		study.Made("macpro", "pp", 1, map[string][]float64{"ctde": {1, 1, 0, 0}}),
		study.Made("macpro", "lbf", 1, map[string][]float64{"ctde": {1, 1, 0, 0, 0}}),
	}
	for i, s := range ablated {
		s.Ablation = "without_poe"
		set.Runs = append(set.Runs, study.With(s, "aggregation", "mean"))
		built := build(t, "ablation", set, Options{})
		if len(built) != i+1 {
			t.Fatalf("with %s: %d tables", s.Env, len(built))
		}
		pp := built[i] // LBF comes before it
		study.Near(t, "without POE", float64(cellOf(t, pp, "without_poe", "average").Mean), 0.5, 1e-9)
		if !cellOf(t, pp, "without_model", "average").Missing() {
			t.Error("PP was never run without the model")
		}
		drawn, err := Draw("ablation", set, Options{Library: study.Library(t)})
		if err != nil || len(drawn) != 1 || len(drawn[0].Panels) != i+1 {
			t.Errorf("with %s: %d figures, %v", s.Env, len(drawn), err)
		}
	}
}

func TestIntegrativeTable(t *testing.T) {
	set := study.Small() // QMIX alone
	for what, make := range map[string]func() error{
		"table":  func() error { _, err := Build("integrative", set, Options{Library: study.Library(t)}); return err },
		"figure": func() error { _, err := Draw("integrative", set, Options{Library: study.Library(t)}); return err },
	} {
		var none *read.NoRunsError
		if err := make(); !errors.As(err, &none) || !strings.Contains(none.Needs, "two learners") {
			t.Errorf("the %s of one learner: %v", what, err)
		}
	}
	set = study.WithVDN(set)
	s := set.Runs[len(set.Runs)-1]
	table := build(t, "integrative", set, Options{})[0]
	if c := cellOf(t, table, "lbf_macpro", "VDN"); c.Mean != 1 || c.Paper.Mean != 0.92 || c.Best {
		t.Errorf("vdn on lbf: %+v (the only value of its block cannot be the best)", c)
	}
	if c := cellOf(t, table, "pp_macpro", "QMIX"); !c.Best || c.Paper.Std != 0.02 {
		t.Errorf("qmix on pp: %+v", c)
	}
	vdn, qmix := cellOf(t, table, "lbf_macpro", "VDN").Source, cellOf(t, table, "lbf_macpro", "QMIX").Source
	if vdn.Group == qmix.Group || len(vdn.Seeds) != 1 || len(qmix.Seeds) != 3 || table.Rows[0].SeedCounts() != "1/3/0" {
		t.Errorf("sources of the cells: %v and %v, seeds %s", vdn, qmix, table.Rows[0].SeedCounts())
	}
	if want := "LBF W/ MACPro, VDN: 1 run, configuration " + format.Short(s.GroupHash) + ": " + s.ID; !slices.Contains(table.Foot, want) {
		t.Errorf("the foot lacks %q", want)
	}
	if !cellOf(t, table, "pp_finetuning", "QPLEX").Missing() {
		t.Error("qplex on pp was never run")
	}
}

func TestMetricsTable(t *testing.T) {
	set := study.Small()
	for i, task := range []string{"task1", "task2", "task3", "task4", "task5"} {
		s := study.With(study.Made("finetuning", "lbf", 1, map[string][]float64{"single": {0.5}}), "tasks", task)
		s.Tasks = []string{task}
		s.Metrics["single"].Area[0] = metrics.Number(0.1 * float64(i))
		set.Runs = append(set.Runs, s)
	}
	table := build(t, "metrics", set, Options{Env: "lbf"})[0]
	study.Near(t, "forgetting", float64(cellOf(t, table, "macpro", "forgetting").Mean), (0+0.1+0.1+0.3)/4, 1e-9)
	study.Near(t, "BWT", float64(cellOf(t, table, "macpro", "BWT").Mean), -(0+0.1+0.1+0.3)/4, 1e-9)
	study.Near(t, "AUC", float64(cellOf(t, table, "macpro", "AUC").Mean), 0.5, 1e-9)
	ft := 0.0
	for i := range 5 {
		ref := 0.1 * float64(i)
		ft += (0.5 - ref) / (1 - ref) / 5
	}
	study.Near(t, "FT", float64(cellOf(t, table, "macpro", "FT").Mean), ft, 1e-9)
	if !strings.Contains(strings.Join(table.Foot, "\n"), "AUC_ref of task1: 1 run, configuration ") {
		t.Error("the foot does not name the runs of FT")
	}
	if c := cellOf(t, table, "finetuning", "forgetting"); c.Best {
		t.Error("less forgetting is better")
	}
	single := build(t, "single_task", set, Options{Env: "lbf"})[0]
	study.Near(t, "AUC alone", float64(cellOf(t, single, "task3", "AUC").Mean), 0.2, 1e-9)
}

func TestGeneralizationTable(t *testing.T) {
	set := study.Small()
	for _, s := range set.Runs {
		if s.Env == "lbf" {
			s.Evaluations = []record.Evaluation{{Run: s.ID, Name: record.Generalization, Tests: []record.EvaluationTest{
				{Task: "task1", Mode: s.Own(), Score: 1}, // trained: does not count
				{Task: "far1", Mode: s.Own(), Score: 0.2}, {Task: "far2", Mode: s.Own(), Score: 0.6},
				{Task: "far1", Mode: "random", Score: 0.1},
			}}}
		}
	}
	tables := build(t, "generalization", set, Options{})
	study.Near(t, "macpro", float64(cellOf(t, tables[0], "macpro", "LBF").Mean), 0.4, 1e-9)
	study.Near(t, "random", float64(cellOf(t, tables[0], "random", "LBF").Mean), 0.1, 1e-9)
	if !cellOf(t, tables[0], "macpro", "PP").Missing() {
		t.Error("PP was not evaluated")
	}
	tables = build(t, "generalization", set, Options{Env: "lbf"})
	study.Near(t, "far2", float64(cellOf(t, tables[1], "far2", "MACPro").Mean), 0.6, 1e-9)
}

func TestSensitivityTable(t *testing.T) {
	set := &read.Set{}
	for _, v := range []string{"0", "500", "50"} {
		for seed := int64(1); seed <= 2; seed++ {
			s := study.With(study.Made("macpro", "pp", seed, map[string][]float64{"ctde": {0.5, 0.5}, "oracle": {1, 1}, "random": {0, 0}}),
				"alpha_reg", v, "probe_nepisode", "20")
			s.Evaluations = []record.Evaluation{{Sets: []string{"probe_nepisode=1"}, Tests: []record.EvaluationTest{{Task: "task1", Mode: "ctde", Score: 0.25}}}}
			set.Runs = append(set.Runs, s)
		}
	}
	tables := build(t, "sensitivity", set, Options{Keys: []string{"alpha_reg"}})
	if got := []string{tables[0].Rows[0].Key, tables[0].Rows[1].Key, tables[0].Rows[2].Key}; strings.Join(got, " ") != "0 50 500" {
		t.Errorf("rows %v", got)
	}
}

// Of a grid of two keys the table has the family with the fewest keys that were set.
func TestSensitivityOfAGrid(t *testing.T) {
	for _, profile := range []string{"0", "0.8"} {
		set := &read.Set{}
		for _, lambda := range []string{"0", "0.8"} {
			score := 0.25
			if lambda == profile {
				score = 0.75
			}
			for _, alpha := range []string{"0.5", "50"} {
				s := study.With(study.Made("macpro", "pp", 1, map[string][]float64{"ctde": {score, score}, "oracle": {1, 1}, "random": {0, 0}}),
					"alpha_reg", alpha, "td_lambda", lambda)
				for key, set := range map[string]bool{"alpha_reg": alpha != "50", "td_lambda": lambda != profile} {
					if set {
						s.Overridden = append(s.Overridden, key)
					}
				}
				set.Runs = append(set.Runs, s)
			}
		}
		made := build(t, "sensitivity", set, Options{Keys: []string{"alpha_reg"}})[0]
		for _, r := range made.Rows {
			if got := float64(r.Cells[0].Mean); got != 0.75 {
				t.Errorf("profile with %s: %s is at %v, want the runs that set td_lambda to nothing else", profile, r.Key, got)
			}
		}
	}
}

// A value or configuration whose runs have all diverged keeps its row, with a dash.
func TestDivergedRunsKeepTheirRow(t *testing.T) {
	set := &read.Set{}
	for _, v := range []string{"0", "500", "50"} {
		for seed := int64(1); seed <= 2; seed++ {
			s := study.With(study.Made("macpro", "pp", seed, map[string][]float64{"ctde": {0.5, 0.5}, "oracle": {1, 1}, "random": {0, 0}}), "alpha_reg", v)
			if v == "500" || v == "50" && seed == 2 {
				s.Status, s.R, s.Curves, s.Tasks = record.Diverged, nil, nil, s.Tasks[:1]
			}
			set.Runs = append(set.Runs, s)
		}
	}
	for kind, o := range map[string]Options{"sensitivity": {Keys: []string{"alpha_reg"}}, "configurations": {}} {
		tables := build(t, kind, set, o)
		var text []string
		for _, r := range tables[0].Rows {
			text = append(text, r.Labels[0]+" "+tables[0].Text(r.Cells[0]))
		}
		if got := strings.Join(text, ", "); got != "0 0.50 ± 0.00, 50 0.50, 500 –" {
			t.Errorf("%s: %s", kind, got)
		}
		foot := strings.Join(tables[0].Foot, "\n")
		for _, s := range set.Runs {
			if s.Status == record.Diverged && !strings.Contains(foot, "run "+s.ID+" has diverged") {
				t.Errorf("%s: the foot does not name %s:\n%s", kind, s.ID, foot)
			}
		}
	}
	if _, err := Draw("sensitivity", set, Options{Library: study.Library(t), Keys: []string{"alpha_reg"}}); err != nil {
		t.Errorf("the figure: %v", err)
	}
}

// Runs whose values left what an episode can return are named below the table, once
// also where several rows show them. Older summaries do not say how far.
func TestRunsWithAlarmsAreNamed(t *testing.T) {
	set := &read.Set{}
	for seed := int64(1); seed <= 3; seed++ {
		s := study.With(study.Made("macpro", "lbf", seed, map[string][]float64{"ctde": {0.5, 0.5}, "oracle": {1, 1}, "random": {0, 0}}), "q_alarm_factor", "1.2")
		s.Alarms = int(seed) - 1
		if seed == 3 {
			s.PeakQRatio = 3.764e9
		}
		set.Runs = append(set.Runs, s)
	}
	var got []string
	for _, f := range build(t, "main", set, Options{})[0].Foot {
		if strings.HasPrefix(f, "ALARM") {
			got = append(got, f)
		}
	}
	const text = "ALARM: in run %s the mean Q_tot %s times the largest return"
	want := []string{fmt.Sprintf(text, set.Runs[1].ID, "rose above 1.2"), fmt.Sprintf(text, set.Runs[2].ID, "reached 3.76e+09")}
	if !slices.Equal(got, want) {
		t.Errorf("foot:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	drawn, err := Draw("main", set, Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	const below = "ALARM: in 2 of 3 runs the mean Q_tot left the returns; tables name them"
	if foot := drawn[0].Foot; !slices.Contains(foot, below) {
		t.Errorf("below the figure: %q, want %q", foot, below)
	}
}

// Where all configurations are equally near to each other, the evaluations are those of
// the configuration with the fewest keys that were set.
func TestEvaluationsOfTheProfilesConfiguration(t *testing.T) {
	set := &read.Set{}
	for i, v := range []string{"0", "0.5", "50"} {
		s := study.With(study.Made("macpro", "pp", 1, map[string][]float64{"ctde": {0.5, 0.5}, "oracle": {1, 1}, "random": {0, 0}}),
			"alpha_reg", v, "probe_nepisode", "20")
		if s.Overridden = []string{"precision"}; v != "0.5" {
			s.Overridden = []string{"alpha_reg", "precision"}
		}
		s.Evaluations = []record.Evaluation{{Sets: []string{"probe_nepisode=1"},
			Tests: []record.EvaluationTest{{Task: "task1", Mode: "ctde", Score: metrics.Number(float64(i) / 4)}}}}
		set.Runs = append(set.Runs, s)
	}
	tables := build(t, "sensitivity", set, Options{})
	study.Near(t, "one probe", float64(cellOf(t, tables[1], "1", "average").Mean), 0.25, 1e-9)
}

// A sweep that varies one key at a time and evaluates every cell, as the paper's study
// does: the evaluated key is shown for the configuration that the others vary.
func TestSensitivityOfEvaluations(t *testing.T) {
	set := &read.Set{}
	for i, c := range []map[string]string{{}, {"alpha_reg": "0"}, {"alpha_reg": "500"}, {"alpha_cont_g": "0"}, {"alpha_cont_g": "1"}} {
		for seed := int64(1); seed <= 2; seed++ {
			s := study.With(study.Made("macpro", "pp", seed, map[string][]float64{"ctde": {0.5, 0.5}, "oracle": {1, 1}, "random": {0, 0}}),
				"alpha_reg", "50", "alpha_cont_g", "0.1", "probe_nepisode", "20")
			for k, v := range c {
				study.With(s, k, v)
			}
			for n, score := range map[string]float64{"1": 0.25, "5": 0.75} {
				s.Evaluations = append(s.Evaluations, record.Evaluation{Sets: []string{"probe_nepisode=" + n},
					Tests: []record.EvaluationTest{{Task: "task1", Mode: "ctde", Score: metrics.Number(score - float64(i)/10)}}})
			}
			set.Runs = append(set.Runs, s)
		}
	}
	tables := build(t, "sensitivity", set, Options{})
	if len(tables) != 3 {
		t.Fatalf("%d tables, want one a key", len(tables))
	}
	probe := tables[2]
	study.Near(t, "one probe", float64(cellOf(t, probe, "1", "average").Mean), 0.25, 1e-9)
	study.Near(t, "five probes", float64(cellOf(t, probe, "5", "average").Mean), 0.75, 1e-9)
	if drawn, err := Draw("sensitivity", set, Options{Library: study.Library(t)}); err != nil || len(drawn[0].Panels) != 3 {
		t.Errorf("the figure: %v", err)
	}
	if n := len(probe.Rows[0].Seeds); n != 2 {
		t.Errorf("%d runs, want those of the two seeds", n)
	}
}

func TestUnlikeRunsAreRefused(t *testing.T) {
	for name, change := range map[string]func(*read.Summary){
		"differ in lr (0.01 and absent)": func(s *read.Summary) { study.With(s, "lr", "0.01") },
		"profile: ":                      func(s *read.Summary) { s.Settings["profile"] = "smoke" },
		"compat: ":                       func(s *read.Summary) { s.Settings["compat"] = "official" },
		"constants of the tasks of lbf (task1, task2, task3, task4, task5): finetuning-lbf-s1 has others, finetuning-lbf-s2 has 0123456789ab": func(s *read.Summary) { s.EnvHash = "others" },
		"version of macpro: ": func(s *read.Summary) { s.Versions.Macpro = "0.2.0" },
		"with version 1, built in, finetuning-lbf-s1 with version 2, built in": func(s *read.Summary) {
			s.Versions.Plugins = []store.PluginVersion{{Kind: "env", Name: "lbf", Version: "2"}}
		},
		"env lbf has changed: ": func(s *read.Summary) {
			s.Versions.Plugins = []store.PluginVersion{{Kind: "env", Name: "lbf", Version: "1", Hash: "0123456789abcdef"}}
		},
		"ablation less has changed: ": func(s *read.Summary) {
			s.Versions.Plugins = append(s.Versions.Plugins, store.PluginVersion{Kind: "ablation", Name: "less", Version: "1", Hash: "b"})
		},
		"have the same seed 2": func(s *read.Summary) { s.Seed, s.ConfigHash = 2, "other" },
	} {
		set := study.Small()
		for _, s := range set.Runs {
			s.Versions.Plugins = []store.PluginVersion{{Kind: "env", Name: s.Env, Version: "1"}}
		}
		set.Runs[1].Versions.Plugins = append(set.Runs[1].Versions.Plugins, store.PluginVersion{Kind: "ablation", Name: "less", Version: "1", Hash: "a"})
		change(set.Runs[0])
		_, err := Build("main", set, Options{Library: study.Library(t)})
		var unlike *alike.Error
		if !errors.As(err, &unlike) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		tables, err := Build("main", set, Options{Library: study.Library(t), Mix: true})
		if err != nil || !strings.Contains(strings.Join(tables[0].Foot, "\n"), "MIXED: ") {
			t.Errorf("%s: mixed on purpose: %v", name, err)
		}
	}
}

func TestUnfinishedAndDoubledRuns(t *testing.T) {
	set := study.Small()
	set.Runs[0].Status = record.Interrupted
	twin := *set.Runs[1]
	twin.ID, twin.Created = "twin", twin.Created.AddDate(0, 0, 1)
	set.Runs = append(set.Runs, &twin)
	table := build(t, "main", set, Options{})[0]
	if c := cellOf(t, table, "finetuning", "average"); len(c.Values) != 2 {
		t.Errorf("%d values, want those of the 2 finished runs", len(c.Values))
	}
	if c := cellOf(t, table, "macpro", "average"); len(c.Values) != 3 {
		t.Errorf("%d values, want one a seed", len(c.Values))
	}
	foot := strings.Join(table.Foot, "\n")
	for _, want := range []string{"finetuning-lbf-s1 is interrupted at step", "macpro-lbf-s1 has the configuration of twin"} {
		if !strings.Contains(foot, want) {
			t.Errorf("the foot lacks %q", want)
		}
	}
}

func TestNothingToShow(t *testing.T) {
	set := study.Small()
	for _, s := range set.Runs {
		s.Status = record.Running
	}
	_, err := Build("ablation", set, Options{Library: study.Library(t)})
	var none *read.NoRunsError
	if !errors.As(err, &none) || !strings.Contains(err.Error(), "no finished runs for the table ablation") || !strings.Contains(err.Error(), "is running") {
		t.Errorf("%v", err)
	}
	if _, err := Build("mian", set, Options{Library: study.Library(t)}); err == nil || !strings.Contains(err.Error(), `did you mean "main"`) {
		t.Errorf("%v", err)
	}
	if _, err := Build("main", study.Small(), Options{Library: study.Library(t), Stats: "median"}); err == nil {
		t.Error("unknown statistics were accepted")
	}
}

func TestFormats(t *testing.T) {
	for _, stats := range []string{format.StatsMean, format.StatsIQM} {
		tables := build(t, "main", study.Small(), Options{Stats: stats, Env: "lbf"})
		for _, f := range format.Formats() {
			var b bytes.Buffer
			if err := format.Write(&b, f, tables); err != nil {
				t.Fatal(err)
			}
			compareGolden(t, "main-"+stats+"."+f, b.Bytes())
		}
	}
	if err := format.Write(&bytes.Buffer{}, "html", nil); err == nil {
		t.Error("an unknown format was accepted")
	}
}

// compareGolden compares with testdata; MACPRO_GOLDEN=write renews the files.
func compareGolden(t *testing.T, name string, got []byte) {
	t.Helper()
	name = "testdata/" + name
	if os.Getenv("MACPRO_GOLDEN") == "write" {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s has changed:\n%s", name, got)
	}
}

// One seed has no deviation, in no format and with no statistics.
func TestSingleSeed(t *testing.T) {
	set := &read.Set{Runs: study.Small().Runs[:1]}
	for _, stats := range []string{format.StatsMean, format.StatsIQM} {
		tables := build(t, "main", set, Options{Stats: stats})
		if text := tables[0].Text(cellOf(t, tables[0], "finetuning", "average")); text != "0.21" {
			t.Errorf("%s of one seed is printed as %q", stats, text)
		}
		if foot := strings.Join(tables[0].Foot, "\n"); !strings.Contains(foot, "of one seed its value alone") {
			t.Errorf("the foot does not say so:\n%s", foot)
		}
	}
	drawn, err := Draw("main", set, Options{Library: study.Library(t)})
	if err != nil {
		t.Fatal(err)
	}
	if foot := strings.Join(drawn[0].Foot, "; "); foot != "upright lines: the next task begins; profile reduced, seed 1, 1 run" {
		t.Errorf("the text below the figure says %q", foot)
	}
}

// The best are those whose numbers look best: 0.075 is printed as 0.07, since the
// nearest float is below it. A zero has no sign.
func TestPrintedNumbers(t *testing.T) {
	cell := func(x float64) format.Cell {
		return format.Cell{Mean: metrics.Number(x), Values: []metrics.Number{metrics.Number(x)}}
	}
	table := &format.Table{Columns: []format.Column{{Name: "score", Better: 1}}}
	for _, x := range []float64{0.084, 0.08, 0.075, -1e-17} {
		table.Rows = append(table.Rows, format.Row{Cells: []format.Cell{cell(x)}})
	}
	table.MarkBest()
	for i, want := range []string{"0.08 true", "0.08 true", "0.07 false", "0.00 false"} {
		c := table.Rows[i].Cells[0]
		if got := fmt.Sprint(table.Text(c), " ", c.Best); got != want {
			t.Errorf("%v is shown as %q, want %q", c.Mean, got, want)
		}
	}
}

// The spreads that the paper prints: 4 of 5 runs at 1, 3 of 5, 2 of 3.
func TestPrintedSpreads(t *testing.T) {
	for _, c := range []struct {
		runs stats.Scores
		want string
	}{
		{stats.Scores{{1}, {1}, {1}, {1}, {0}}, "0.80 ± 0.40"},
		{stats.Scores{{1}, {1}, {1}, {0}, {0}}, "0.60 ± 0.49"},
		{stats.Scores{{1}, {1}, {0}}, "0.67 ± 0.47"},
		{nil, "missing"},
	} {
		table := &format.Table{Stats: format.StatsMean}
		if got := table.Text((&builder{}).cell(c.runs, nil)); got != c.want {
			t.Errorf("%v: %s, want %s", c.runs, got, c.want)
		}
	}
}

// The column counts seeds, also when runs of several configurations are mixed.
func TestSeedsAreCountedOnce(t *testing.T) {
	set := study.Small()
	for seed := int64(1); seed <= 3; seed++ {
		set.Runs = append(set.Runs, study.With(study.Made("finetuning", "lbf", seed, map[string][]float64{"single": {0, 0, 0, 0, 1}}), "lr", "0.01"))
	}
	table := build(t, "main", set, Options{Env: "lbf", Mix: true})[0]
	row := table.Rows[0]
	if row.SeedCounts() != "3" || len(row.Runs) != 6 || len(row.Cells[0].Values) != 6 {
		t.Errorf("%s seeds, %d runs, %d values", row.SeedCounts(), len(row.Runs), len(row.Cells[0].Values))
	}
	if foot := strings.Join(table.Foot, "\n"); !strings.Contains(foot, "over runs, of which some have the same seed") {
		t.Error(foot)
	}
}

func TestWhereComparesValues(t *testing.T) {
	set := study.Small()
	study.With(study.With(study.With(set.Runs[0], "lr", "0.0001"), "double_q", "true"), "tasks", "[right]")
	for c, want := range map[string]int{"lr=1e-4": 1, "double_q=True": 1, "tasks=[ right ]": 1, "seed=2.0": 4} {
		got, err := set.Where([]string{c})
		if err != nil || len(got.Runs) != want {
			t.Errorf("%s: %v, %v", c, got, err)
		}
	}
	for c, reason := range map[string]string{"lr=1e-3": "matches no run: lr is 0.0001", "profile=paper": "profile is reduced", "lrr=1": `no run has a key "lrr"`, "lr": "want key=value"} {
		if _, err := set.Where([]string{c}); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v", c, err)
		}
	}
}

// grid is a sweep of one method over two keys.
func grid() *read.Set {
	set := &read.Set{}
	for i, lr := range []string{"0.001", "0.0005"} {
		for j, gamma := range []string{"0.9", "0.99"} {
			for seed := int64(1); seed <= 2; seed++ {
				x := 0.1*float64(i) + 0.2*float64(j)
				set.Runs = append(set.Runs, study.With(study.Made("finetuning", "lbf", seed, map[string][]float64{"single": {0, x}}), "lr", lr, "gamma", gamma))
			}
		}
	}
	return set
}

// A grid has a table of its own, a row a configuration, and no other table takes
// its runs together.
func TestConfigurationsTable(t *testing.T) {
	made := build(t, "configurations", grid(), Options{})
	if len(made) != 1 || strings.Join(made[0].Head, " ") != "gamma lr" || len(made[0].Rows) != 4 {
		t.Fatalf("%+v", made)
	}
	var got []string
	for _, r := range made[0].Rows {
		got = append(got, fmt.Sprintf("%s: %s of %s", strings.Join(r.Labels, " "), made[0].Text(r.Cells[0]), r.SeedCounts()))
	}
	want := "0.9 0.0005: 0.05 ± 0.00 of 2; 0.9 0.001: 0.00 ± 0.00 of 2; 0.99 0.0005: 0.15 ± 0.00 of 2; 0.99 0.001: 0.10 ± 0.00 of 2"
	if strings.Join(got, "; ") != want {
		t.Errorf("%s", strings.Join(got, "; "))
	}
	if made[0].Title != "Configurations of Finetuning on LBF, QMIX" || !made[0].Rows[2].Cells[0].Best {
		t.Errorf("%s, %+v", made[0].Title, made[0].Rows[2].Cells[0])
	}
	var unlike *alike.Error
	if _, err := Build("main", grid(), Options{Library: study.Library(t)}); !errors.As(err, &unlike) || !unlike.Grid {
		t.Errorf("%v", err)
	}
	var none *read.NoRunsError
	if _, err := Build("configurations", study.Small(), Options{Library: study.Library(t)}); !errors.As(err, &none) {
		t.Errorf("runs that are no grid: %v", err)
	}
}

// A configuration that is older than a key says so.
func TestConfigurationsOlderThanAKey(t *testing.T) {
	set := grid()
	for _, s := range set.Runs {
		if s.Settings["lr"] == "0.001" {
			delete(s.Settings, "lr")
		}
	}
	var got []string
	for _, r := range build(t, "configurations", set, Options{})[0].Rows {
		got = append(got, strings.Join(r.Labels, " "))
	}
	if want := "0.9 0.0005; 0.9 absent; 0.99 0.0005; 0.99 absent"; strings.Join(got, "; ") != want {
		t.Errorf("%s", strings.Join(got, "; "))
	}
}

// A table of one's own: rows by settings, columns by values of a key.
func TestOwnTable(t *testing.T) {
	lib := study.Library(t)
	spec := `
title: Mine on {env}
each: [env]
keys: [gamma]
head: [rate]
rows: {items: [{label: slow, when: {lr: 5e-4}}, {label: fast, when: {lr: 1e-3}}, {label: none, when: {lr: 1}, optional: true}]}
columns: {of: values}
value: average
`
	if err := lib.Add("mine", "mine.yaml", []byte(spec)); err != nil {
		t.Fatal(err)
	}
	made, err := Build("mine", grid(), Options{Library: lib})
	if err != nil || len(made[0].Rows) != 2 {
		t.Fatalf("%v %+v", err, made)
	}
	near := cellOf(t, made[0], "fast", "0.99")
	study.Near(t, "fast with 0.99", float64(near.Mean), 0.1, 1e-9)
	if made[0].Title != "Mine on LBF" || len(near.Source.Runs) != 2 {
		t.Errorf("%s, %+v", made[0].Title, near.Source)
	}
	for text, reason := range map[string]string{
		"rows: {of: taks}\ncolumns: {of: tasks}":                          `did you mean "tasks"`,
		"rows: {list: method}\ncolumns: {of: tasks}":                      `no list "method"`,
		"columns: {of: tasks}":                                            "rows: want items, list or of",
		"rows: {of: tasks}\ncolumns: {items: [{value: forgeting}]}":       `did you mean "forgetting"`,
		"rows: {of: tasks}\ncolumns: {items: [{value: rank, part: lst}]}": `did you mean "last"`,
		"row: {of: tasks}":                                                `line 1: unknown key "row", did you mean "rows"?`,
		"each: [envs]\nrows: {of: tasks}\ncolumns: {of: tasks}":           `did you mean "env"`,
		"rows: {items: [{key: a, color: gray}]}\ncolumns: {of: tasks}":    `did you mean "grey"`,
		"rows: {items: [{when: {alg: x}}]}\ncolumns: {of: tasks}":         "neither key nor label",
		"rows: {of: values}\ncolumns: {of: tasks}":                        "values of which key",
	} {
		if err := lib.Add("bad", "bad.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), "bad.yaml") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Tables and figures of special runs say which these are if there are none.
func TestSpecialRunsAreNamed(t *testing.T) {
	o := Options{Library: study.Library(t)}
	for what, c := range map[string]struct {
		err   error
		needs string
	}{
		"table sensitivity":     {second(Build("sensitivity", &read.Set{}, o)), "--key"},
		"table generalization":  {second(Build("generalization", &read.Set{}, o)), "--tasks generalization"},
		"table single_task":     {second(Build("single_task", &read.Set{}, o)), "a single task"},
		"table configurations":  {second(Build("configurations", &read.Set{}, o)), "several settings"},
		"table plasticity":      {second(Build("plasticity", &read.Set{}, o)), "plasticity_nepisode"},
		"table boundaries":      {second(Build("boundaries", &read.Set{}, o)), "boundaries=hidden"},
		"figure sensitivity":    {second(Draw("sensitivity", &read.Set{}, o)), "--key"},
		"figure generalization": {second(Draw("generalization", &read.Set{}, o)), "--tasks generalization"},
		"figure context":        {second(Draw("context", &read.Set{}, o)), "latents=true"},
		"figure plasticity":     {second(Draw("plasticity", &read.Set{}, o)), "plasticity_nepisode"},
	} {
		var none *read.NoRunsError
		if !errors.As(c.err, &none) || !strings.Contains(c.err.Error(), "no finished runs for the "+what+", which needs runs ") || !strings.Contains(none.Needs, c.needs) {
			t.Errorf("%s: %v, want %q", what, c.err, c.needs)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Digests in settings are shortened wherever people read them.
func TestDigestsAreShort(t *testing.T) {
	digest := "0123456789ab" + strings.Repeat("c", 52)
	from := func(value string, seed int64) *read.Summary {
		s := study.Made("macpro", "lbf", seed, map[string][]float64{"ctde": {1, 0.9, 0.8, 0.7, 1}})
		s.Settings["from"], s.GroupHash, s.Overridden = value, value, []string{"from"}
		return s
	}
	set := &read.Set{Runs: []*read.Summary{from("x@1:"+digest, 1), from("none", 2)}}
	o := Options{Library: study.Library(t)}
	var said []string
	for _, kind := range []string{"configurations", "main"} {
		made, err := Build(kind, set, o)
		if (err != nil) != (kind == "main") {
			t.Fatalf("%s: %v", kind, err)
		}
		if err != nil {
			said = append(said, err.Error())
			continue
		}
		var b bytes.Buffer
		if err := format.Write(&b, "text", made); err != nil {
			t.Fatal(err)
		}
		said = append(said, b.String())
	}
	called := alike.Names(o.Library, set.Runs)
	for _, text := range append(said, called[set.Runs[0]].Label) {
		if !strings.Contains(text, "x@1:0123456789ab") || strings.Contains(text, "abc") {
			t.Error(text)
		}
	}
}

// Without a choice of the learner tables show that of the runs, if all have one.
func TestTableOfTheOnlyLearner(t *testing.T) {
	for _, c := range []struct {
		learners []string
		title    string // "" for an error
	}{
		{[]string{"vdn", "vdn"}, "Final scores on LBF, VDN"},
		{[]string{"vdn", "qmix"}, "Final scores on LBF, QMIX"},
		{[]string{"vdn", "iql"}, ""},
	} {
		set := &read.Set{}
		for i, learner := range c.learners {
			s := study.Made("ewc", "lbf", int64(i), map[string][]float64{"single": {1, 1, .5, .5}})
			s.Learner = learner
			set.Runs = append(set.Runs, s)
		}
		made, err := Build("main", set, Options{Library: study.Library(t)})
		switch {
		case c.title != "" && (err != nil || made[0].Title != c.title):
			t.Errorf("%v: %v, %v", c.learners, made, err)
		case c.title == "" && (err == nil || !strings.Contains(err.Error(), "the runs have several learners, of which qmix was looked for: choose with --learner iql|vdn")):
			t.Errorf("%v: %v", c.learners, err)
		}
	}
}

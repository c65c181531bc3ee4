package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"macpro/core"
	"macpro/core/export"
	"macpro/core/names"
	"macpro/core/report/read"
	"macpro/core/store"
)

// The formats of export with the ends of their files' names.
var exportFormats = []string{"safetensors", "onnx"}

type exportOptions struct {
	format, file string
	at           int64
}

func newExport() *cobra.Command {
	var out output
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Write the acting networks of a recorded run for other programs",
		Long: `Writes what a trained team acts with: the features and all heads, without the
mixer. The format safetensors has named tensors. The format onnx has a model of one
time step. Its inputs are "inputs" [batch, row] and "hidden" [batch, H]. Its outputs
are "hidden_out" and the action values: "q" of the head in training, "q0", "q1", ...
of the saved heads. A row per agent is [observation; last action, one-hot; agent,
one-hot]. The file's metadata say which head belongs to which task. With sharing none each
agent has inputs and outputs of its own: "inputs.agent0", "q.agent0" and so on. Policies of
battles attend over any number of units and are written as safetensors only.`,
		Example: `  macpro export RUN --format onnx
  macpro export RUN --format safetensors --checkpoint 40000 -o policy.safetensors`,
		Args: exactly(1, " RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out.streams(cmd)
			if err := atLeast(cmd, "checkpoint", 0); err != nil {
				return err
			}
			dir, err := runFolder(out.dir, args[0])
			if err != nil {
				return err
			}
			return exportRun(out, dir, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "safetensors", "safetensors or onnx")
	f.Int64Var(&o.at, "checkpoint", -1, "step of the checkpoint; -1 is the newest")
	alias(cmd, "checkpoint", "at")
	f.StringVarP(&o.file, "output", "o", "", "file to write (default policy-<step>.<format> in the run's folder)")
	f.StringVar(&out.dir, "out", "results", "folder of the results")
	f.BoolVar(&out.quiet, "quiet", false, "print warnings and errors only")
	return cmd
}

func exportRun(out output, dir string, o exportOptions) error {
	if !slices.Contains(exportFormats, o.format) {
		return usage(fmt.Errorf("--format: %w", names.Unknown("format", o.format, exportFormats)))
	}
	rec, err := store.Load(store.OS(), dir)
	if err == nil {
		err = read.Verify(rec)
	}
	if err != nil {
		return err
	}
	n, err := loadNetworks(out, dir, o.at, nil)
	if err != nil {
		return err
	}
	data, err := n.policy(o.format)
	if e := n.Runner.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	o.file = cmp.Or(o.file, filepath.Join(dir, fmt.Sprintf("policy-%d.%s", n.Checkpoint.TEnv, o.format)))
	if err := store.WriteOutput(o.file, data); err != nil {
		return err
	}
	n.show.say("the networks of step %d are in %s\n", n.Checkpoint.TEnv, o.file)
	return nil
}

func (n *networks) policy(format string) ([]byte, error) {
	learner := core.AbilitiesOf(n.Runner.Learner()).Exporter
	if learner == nil {
		return nil, fmt.Errorf("learner %s does not show its weights: it cannot be exported", n.Learner.Info().Name)
	}
	p, err := export.New(learner.Weights(), n.Runner.Specs()[0], n.Settings)
	if err != nil {
		return nil, err
	}
	p.Producer = "macpro"
	if err := n.describe(p); err != nil {
		return nil, err
	}
	if format == "onnx" {
		return p.ONNX()
	}
	var b bytes.Buffer
	err = p.Safetensors(&b)
	return b.Bytes(), err
}

// describe notes where a policy comes from and whose its heads are.
func (n *networks) describe(p *export.Policy) error {
	m := n.Record.Manifest
	p.Meta["run"], p.Meta["env"], p.Meta["method"], p.Meta["learner"] = m.ID, m.Env, m.Alg, m.Learner
	p.Meta["t_env"], p.Meta["checkpoint"] = strconv.FormatInt(n.Checkpoint.TEnv, 10), n.Checkpoint.Digest()
	lists := map[string]any{"tasks": n.Runner.Tasks(), "task_heads": n.Runner.Result().TaskHeads}
	if specs := n.Runner.Specs(); specs[0].Entities != nil {
		lists["task_shapes"] = specs // agents, actions, widths and the layout of the units' features
	}
	for key, v := range lists {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		p.Meta[key] = string(b)
	}
	return nil
}

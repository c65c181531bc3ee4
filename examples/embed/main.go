// Command embed trains a method, tests it on tasks that it has not seen and prints
// the table, without the command line: go run ./embed FOLDER.
package main

import (
	"context"
	"log"
	"os"

	"macpro/configs"
	"macpro/core/config"
	"macpro/core/report/format"
	"macpro/core/report/read"
	"macpro/core/report/spec"
	"macpro/core/report/tables"
	"macpro/core/store"
	_ "macpro/plugins/all"
	"macpro/registry/experiment"
	"macpro/results"
)

func main() {
	ctx, root := context.Background(), os.Args[1]
	user := config.User{
		Flags: map[string]string{"env": "lbf", "alg": "finetuning", "profile": "smoke", "seed": "3"},
		Sets:  []string{"steps_per_task=200", "test_nepisode=2"},
	}
	run := must(experiment.Run(ctx, user, root))
	log.Printf("%s: final average %v", run.ID, run.FinalAverage)
	must(experiment.Evaluate(ctx, run.Dir, experiment.EvalOptions{Tasks: "generalization", Episodes: 4}))
	set := must(read.Load(store.OS(), root, nil))
	library := must(spec.Open(configs.FS, results.Paper))
	made := must(tables.Build("generalization", set, tables.Options{Library: library}))
	if err := format.Write(os.Stdout, "md", made); err != nil {
		log.Fatal(err)
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}

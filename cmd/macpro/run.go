package main

import (
	"os"

	"github.com/spf13/cobra"
)

func newRun() *cobra.Command {
	var sets []string
	var file, out string
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "run --env ENV [flags] [with key=value ...]",
		Short: "Train a method on an environment's task sequence",
		Args:  withArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := resolve(userLayers(cmd, file, sets, args[min(1, len(args)):], os.Environ()))
			if err != nil {
				return err
			}
			if dryRun {
				return x.config.Print(cmd.OutOrStdout())
			}
			return nil
		},
	}
	addKeyFlags(cmd, &sets, &file)
	cmd.Flags().StringVar(&out, "out", "results", "folder of the results")
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "check everything and print the configuration with the origin of each value")
	return cmd
}

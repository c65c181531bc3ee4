package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newPluginNew() *cobra.Command {
	return &cobra.Command{Use: "new", Short: "x", RunE: func(*cobra.Command, []string) error { return fmt.Errorf("x") }}
}

// Package experiment turns what a user asks for into a recorded run: it finds the
// plugins and merges the configuration (Resolve), builds what trains (Open), makes
// or reopens the run's folder (Create, Reopen, Resume), trains (Play) and tests
// recorded networks (LoadNetworks, Evaluate). Run does all of it for a new run.
//
//	run, err := experiment.Run(ctx, config.User{Flags: map[string]string{"env": "lbf"}}, "results")
//
// The command line adds flags and printing. A program of one's own imports
// macpro/plugins/all, or a choice of its files, beside this package. The key
// plugins.isolate needs a program with the verb "plugin serve".
package experiment

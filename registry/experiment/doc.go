// Package experiment turns what a user asks for into a recorded run:
//
//   - Resolve finds the plugins and merges the configuration.
//   - Open builds what trains.
//   - Create, Reopen and Resume make or reopen the run's folder.
//   - Play trains.
//   - LoadNetworks and Evaluate test recorded networks.
//
// Run does all of it for a new run.
//
//	run, err := experiment.Run(ctx, config.User{Flags: map[string]string{"env": "lbf"}}, "results")
//
// The command line adds flags and printing. A program of your own imports
// macpro/plugins/all, or a choice of its files, beside this package. The key
// plugins.isolate needs a program with the verb "plugin serve".
package experiment

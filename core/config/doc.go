// Package config turns files, environment variables and command-line settings
// into the frozen, typed configuration of a run.
//
// Keys are flat words in the manner of PyMARL (gamma, alpha_reg); the
// environment's own ones sit in the section env_args (env_args.sight). Structs
// with tags (Schema) say which keys exist, of which type and in which range. There
// are shared keys and those of the chosen environment, method and learner.
// Nothing else may be set.
//
// Later layers win over earlier ones, key by key; a list is replaced whole. A plain
// steps_per_task takes away what earlier layers say of single tasks:
//
//	default      shared keys, and every chosen plugin's own keys
//	env          what the environment's file says about other keys
//	alg          the same for the continual method
//	learner      the same for the learner
//	profile      smoke, reduced or paper
//	compat       official or paper
//	ablation     the overlay of an ablation
//	file         the user's own file
//	environment  MACPRO_ENV_ARGS__SIGHT=5: upper case, two underscores for a dot
//	command line --set env_args.sight=5, or "with env_args.sight=5"
//
// Text becomes a value by the type of its key and in no other way. Nothing is
// guessed. For a whole number 5e3 is 5000 and 3.7 is refused. Numbers and truth
// values refuse yes, null, .nan, 010 and a date. A key is an error if nobody
// knows it, if it belongs to a plugin of another run, or if a file sets it
// twice. All problems are found before anything starts. They are reported
// together, each with its file and line, the key, and what would be right.
//
// The result remembers where each value came from (Origin), prints itself as
// a file that gives the same configuration again (YAML), and has two hashes:
// of everything that can change results, and of the same without the seed.
package config

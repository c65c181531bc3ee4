package core

// Info describes a plugin to the user, to the configuration and to records of
// results.
type Info struct {
	// Name is the plugin's name on the command line, unique within its kind.
	Name string
	// Summary is one line of help.
	Summary string
	// Version changes whenever the plugin's results may change.
	Version string
	// Config is a YAML document. Keys of Schema get their defaults from it; any
	// other key in it overrides a shared key for runs that use this plugin.
	Config []byte
	// ConfigFile is where Config was read from, for messages; empty means the
	// file configs/<envs, learners or algs>/<Name>.yaml of the program.
	ConfigFile string
	// Schema lists the plugin's own keys.
	Schema []Field
}

// Kind is the type of a configuration value.
type Kind string

// The kinds of configuration values.
const (
	Bool    Kind = "bool"
	Int     Kind = "int"
	Float   Kind = "float"
	String  Kind = "string"
	Strings Kind = "strings" // a list of strings
	Ints    Kind = "ints"    // a list of integers
)

// Field describes one configuration key.
type Field struct {
	Key  string // dotted path, as in env_args.sight
	Kind Kind
	Help string // one sentence, with the unit
	// Min and Max bound a number (inclusive); nil means unbounded.
	Min, Max *float64
	// Enum lists the allowed strings; empty means any.
	Enum []string
	// Neutral is for a key that older versions of its owner did not have. With this
	// value a run is what it was without the key. The configuration's hash leaves
	// the value out, so older runs remain comparable. It is written as in a file.
	// Empty means that every value counts.
	Neutral string
	// Below, for a key of all runs, is the key of a list of texts. Entries of that
	// list can also be written as keys below this one: this.name: value is the
	// entry name=value.
	Below string
	// Only says when the key counts: conditions that are joined by spaces. One is another
	// key's value, as in ewc_mode=online, a value that it must not have, as in
	// mlp_layers!=1, or a fact about the tasks, flat or entities. A user who sets the key
	// in a run where it does not count gets a warning. Empty means always.
	Only string
}

// Settings are the resolved values of a run, by dotted key. A value has the Go
// type of its field's kind: bool, int, float64, string, []string, []int.
type Settings map[string]any

// AblationPlugin is a named, documented overlay on the configuration.
type AblationPlugin interface {
	// Info's Config holds the overlay: the keys that the ablation changes.
	Info() Info
	// Algs names the continual methods that the ablation applies to; empty
	// means all.
	Algs() []string
}

package core

// AblationPlugin is a named, documented overlay on the configuration.
type AblationPlugin interface {
	// Info's Config holds the overlay: the keys that the ablation changes.
	Info() Info
	// Algs names the continual methods that the ablation applies to; empty
	// means all.
	Algs() []string
}

//go:build amd64 && !purego

package kernel

func machinePaths() []path { return nil }

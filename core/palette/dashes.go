package palette

import (
	"maps"
	"slices"
)

// dashes are the lengths of lines and gaps in points, by name.
var dashes = map[string][]float64{
	"solid":   nil,
	"dashed":  {6, 3},
	"dotted":  {1.6, 2.4},
	"dashdot": {7, 2.5, 1.6, 2.5},
	"long":    {11, 3},
}

// Dashes are the lengths of lines and gaps in points; nil is a solid line.
func Dashes(name string) []float64 { return dashes[name] }

// DashesAt is the i-th name, i >= 0, the first of which is solid; after the last
// comes the first again.
func DashesAt(i int) string {
	order := []string{"solid", "dashed", "dotted", "dashdot", "long"}
	return order[i%len(order)]
}

// KnownDashes lists the names of Dashes.
func KnownDashes() []string { return slices.Sorted(maps.Keys(dashes)) }

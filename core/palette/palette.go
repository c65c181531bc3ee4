// Package palette holds the colours of all pictures: those of Okabe and Ito
// (2008), which readers with any kind of colour vision can tell apart, and greys.
package palette

import (
	"hash/fnv"
	"image/color"
	"maps"
	"slices"
)

// The colours.
var (
	Vermilion = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
	Blue      = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	Green     = color.NRGBA{0x00, 0x9e, 0x73, 0xff}
	Purple    = color.NRGBA{0xcc, 0x79, 0xa7, 0xff}
	Orange    = color.NRGBA{0xe6, 0x9f, 0x00, 0xff}
	Sky       = color.NRGBA{0x56, 0xb4, 0xe9, 0xff}
	Yellow    = color.NRGBA{0xf0, 0xe4, 0x42, 0xff}
	Black     = color.NRGBA{0x33, 0x33, 0x33, 0xff}
	Olive     = color.NRGBA{0xa0, 0x8c, 0x00, 0xff}
	Grey      = color.NRGBA{0x66, 0x66, 0x66, 0xff}
	Silver    = color.NRGBA{0xbb, 0xbb, 0xbb, 0xff}
	White     = color.NRGBA{0xff, 0xff, 0xff, 0xff}
)

// wheel is for everything without a colour of its own, such as heads.
var wheel = []color.NRGBA{Vermilion, Blue, Green, Purple, Orange, Sky, Black, Olive}

// spare names the colours for what has none of its own; none of them is on the wheel.
var spare = []string{"brown", "violet", "teal", "crimson", "moss", "navy", "tan", "khaki"}

// Named is a colour for a name, always the same. With bad luck another such name, or a
// thing whose file names one of these colours, has it, too.
func Named(name string) color.NRGBA {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return byName[spare[h.Sum32()%uint32(len(spare))]]
}

// Wheel is the i-th colour, i >= 0; after the last comes the first again.
func Wheel(i int) color.NRGBA { return wheel[i%len(wheel)] }

// byName are the colours that files may name.
var byName = map[string]color.NRGBA{
	"vermilion": Vermilion, "blue": Blue, "green": Green, "purple": Purple, "orange": Orange, "sky": Sky, "yellow": Yellow,
	"black": Black, "olive": Olive, "grey": Grey, "silver": Silver,
	"brown": {0x8c, 0x56, 0x4b, 0xff}, "violet": {0x7a, 0x3f, 0xbf, 0xff}, "teal": {0x00, 0x5f, 0x5f, 0xff}, "crimson": {0xb0, 0x2a, 0x4b, 0xff},
	"moss": {0x6b, 0x8e, 0x23, 0xff}, "navy": {0x1f, 0x3a, 0x7a, 0xff}, "tan": {0xd8, 0x9a, 0x6a, 0xff}, "khaki": {0x9f, 0x9f, 0x5f, 0xff},
}

// Get is the colour of a name, such as vermilion.
func Get(name string) (color.NRGBA, bool) {
	c, ok := byName[name]
	return c, ok
}

// Known lists the names of Get.
func Known() []string { return slices.Sorted(maps.Keys(byName)) }

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

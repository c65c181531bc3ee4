package core

// Layer is a layer of the agent network: Width units whose activations other
// weights read. In and Out say where the weights of its units lie among the
// parameters of ScopeAgent: those that a unit is computed from, and those that
// read it.
type Layer struct {
	Name  string
	Width int
	In    []Span // empty for a layer whose units cannot be reset
	Out   []Span
}

// Span says where the weights of a layer's units lie: weight k, from 0 to
// Count-1, of unit j is parameter Offset + j*Unit + k*Stride.
type Span struct{ Offset, Unit, Stride, Count int }

// Each calls do with the place of every weight of unit j.
func (s Span) Each(j int, do func(place int)) {
	for k := range s.Count {
		do(s.Offset + j*s.Unit + k*s.Stride)
	}
}

// ActivityQuery says what is to be known about the activations of layers.
type ActivityQuery struct {
	Layers  []string // names; empty means all
	MeanAbs bool     // mean absolute activation of each unit
	Zeros   bool     // share of rows in which each unit is exactly zero
	Gram    bool     // mean product of each two units
}

// Activity is what was asked about one layer, nil where it was not.
type Activity struct {
	Layer   string
	Rows    int       // activations of each unit: transitions times agents, and times enemies in their embedding
	MeanAbs []float32 // [width]
	Zeros   []float32 // [width]
	Gram    []float32 // [width, width]
}

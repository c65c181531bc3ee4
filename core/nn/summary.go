package nn

// Summary turns any number of entities of several kinds into one vector that
// does not depend on their order within a kind: entities x of kind s become v =
// Encoders[s](x), attend to each other, and are averaged,
//
//	G[a,b] = Query(v_a) . Key(v_b),  c_b = sum_a softmax_a(G[a,b]) v_a
//	e      = mean_b c_b
//
// with the softmax over the entities a that are looked at, without a scale.
// Every part is a single layer of its own, so that another module can share an
// encoder.
type Summary struct {
	Kinds      []Set
	Encoders   []MLP // to width Out
	Query, Key MLP
}

// Summary plans a module: layers <name>.<kind>, <name>.query and <name>.key.
func (l *Layout) Summary(name string, key, out int, kinds ...Set) Summary {
	m := Summary{Kinds: kinds}
	for _, k := range kinds {
		m.Encoders = append(m.Encoders, l.Linear(name+"."+k.Name, k.Width, out, ActNone))
	}
	m.Query = l.Linear(name+".query", out, key, ActNone)
	m.Key = l.Linear(name+".key", out, key, ActNone)
	return m
}

// Segments lists the segments in the order of the operation's inputs.
func (m Summary) Segments() []Segment {
	var all []Segment
	for _, e := range m.Encoders {
		all = append(all, e.Segment)
	}
	return append(all, m.Query.Segment, m.Key.Segment)
}

// Out is the width of the vector.
func (m Summary) Out() int { return m.Query.In() }

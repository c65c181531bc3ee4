package read

import (
	"math"

	"macpro/core/record"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Dump is a picture of the contexts of tasks at time T: the means of the latent
// distributions, projected on the first three principal components of those of
// the global encoder g. Local encoders f are projected by the same matrix.
type Dump struct {
	T    int64  `json:"t"`
	When string `json:"when"`
	// Explained is the share of g's variance along each component.
	Explained []float64 `json:"explained"`
	Points    []Latent  `json:"points"`
}

// Latent is one context. Agent is -1 for g; Head is the head of the task.
type Latent struct {
	Task  string     `json:"task"`
	Head  int        `json:"head"`
	Agent int        `json:"agent"`
	At    [3]float64 `json:"at"`
}

// mean is a context before it is projected.
type mean struct {
	Latent
	mu []float64
}

// dumpKey tells the dumps of a run apart; all tasks of one dump have the same.
type dumpKey struct {
	t    int64
	when string
}

// contexts lists the contexts of a row; label names its task.
func contexts(row *record.Latents, label string) []mean {
	base := Latent{Task: label, Head: row.Head}
	var out []mean
	add := func(agent int, mu []float32) {
		c := mean{base, make([]float64, len(mu))}
		c.Agent = agent
		for i, x := range mu {
			c.mu[i], _ = record.Float(x)
		}
		out = append(out, c)
	}
	for _, g := range row.G {
		add(-1, g)
	}
	for _, f := range row.F {
		for agent, mu := range f {
			add(agent, mu)
		}
	}
	return out
}

// project fits principal components to g's points and projects all points. A
// component's largest loading is positive, so that pictures do not flip. Without
// two points of g, or with points of different widths, there is no picture.
func project(key dumpKey, points []mean) (Dump, bool) {
	d := Dump{T: key.t, When: key.when}
	var g []float64
	width, n := 0, 0
	for _, p := range points {
		if width == 0 {
			width = len(p.mu)
		}
		if len(p.mu) != width {
			return d, false
		}
		if p.Agent < 0 {
			g, n = append(g, p.mu...), n+1
		}
	}
	if n < 2 {
		return d, false
	}
	var pc stat.PC
	x := mat.NewDense(n, width, g)
	if !pc.PrincipalComponents(x, nil) {
		return d, false
	}
	var loadings mat.Dense
	pc.VectorsTo(&loadings)
	middle := make([]float64, width)
	for j := range middle {
		middle[j] = stat.Mean(mat.Col(nil, j, x), nil)
	}
	vars := pc.VarsTo(nil)
	total := 0.0
	for _, v := range vars {
		total += v
	}
	_, components := loadings.Dims()
	components = min(components, 3)
	for k := range components {
		d.Explained = append(d.Explained, digits(vars[k]/max(total, math.SmallestNonzeroFloat64)))
	}
	for _, p := range points {
		for k := range components {
			p.At[k] = digits(along(p.mu, middle, mat.Col(nil, k, &loadings)))
		}
		d.Points = append(d.Points, p.Latent)
	}
	return d, true
}

// along is the coordinate of mu along a component.
func along(mu, middle, loading []float64) float64 {
	sum, largest := 0.0, 0.0
	for j, l := range loading {
		sum += (mu[j] - middle[j]) * l
		if math.Abs(l) > math.Abs(largest) {
			largest = l
		}
	}
	return math.Copysign(1, largest) * sum
}

// digits keeps four digits behind the point, enough for a picture.
func digits(x float64) float64 { return math.Round(x*1e4) / 1e4 }

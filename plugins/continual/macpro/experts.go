package macpro

import (
	"fmt"
	"math"

	"macpro/core/nn"
)

// expertEps keeps the precision of an expert finite.
const expertEps = 2e-7

// experts joins the Gaussians of a trajectory's time steps to one: input rows
// [N, 2z] of mean and log variance, output one row [tracks, 2z] for each
// sequence. The second half of a row may be a standard deviation instead, before
// a softplus. As a product of experts (Eq. of POE in the paper), with precisions
// T_t = 1/(var_t + 2e-7),
//
//	mean = sum_t T_t mean_t / P     var = 1/P     P = prior + sum_t T_t
//
// or, for the ablation, as the plain means of means and variances. Rows of a
// sequence beyond its keys stand for padding: the first for itself, each one
// after it for weight of its kind.
type experts struct {
	seqs   *nn.Sequences
	tracks *nn.Extent
	prior  float64 // precision of the prior expert N(0,1): 1 or 0
	mean   bool    // plain means instead of the product
	std    bool    // rows hold standard deviations
	crew   *nn.Crew

	weight    []float64 // of each sequence's padding after the first row
	variance  []float32 // [N,z]
	slope     []float32 // [N,z] of the variance by what the row holds
	precision []float64 // [tracks,z], sums
	sum       []float64 // [size of the crew, z]
}

// SetCrew lets several goroutines work on sequences of their own.
func (o *experts) SetCrew(c *nn.Crew) { o.crew = c }

// atATime is the number of sequences that one goroutine takes at a time.
const atATime = 16

func (o *experts) Name() string       { return "product of experts" }
func (o *experts) NeedsGrad(int) bool { return true }

func (o *experts) Out(ext []*nn.Extent, width []int) (*nn.Extent, int, error) {
	if len(width) != 1 || width[0]%2 != 0 {
		return nil, 0, fmt.Errorf("inputs of widths %v, want one of means and log variances", width)
	}
	return o.tracks, width[0], nil
}

func (o *experts) Forward(in []nn.Mat, out nn.Mat) error {
	x, z := in[0], in[0].Cols/2
	if x.Rows != o.seqs.Rows() || out.Rows != o.seqs.Len() || len(o.weight) != out.Rows {
		return fmt.Errorf("%d rows in %d sequences, the input has %d and the output %d", o.seqs.Rows(), o.seqs.Len(), x.Rows, out.Rows)
	}
	o.variance = grown(o.variance, x.Rows*z)
	for r := range x.Rows {
		copy(o.variance[r*z:(r+1)*z], x.Row(r)[z:])
	}
	if o.std {
		o.fromDeviations()
	} else {
		nn.Exp(o.variance, o.variance)
		o.slope = o.variance
	}
	o.precision, o.sum = grown(o.precision, out.Rows*z), grown(o.sum, o.crew.Size()*z)
	if o.crew.Size() == 1 {
		o.join(0, out.Rows, x, out, o.sum)
		return nil
	}
	o.crew.Each((out.Rows+atATime-1)/atATime, func(k, part int) {
		lo := part * atATime
		o.join(lo, min(lo+atATime, out.Rows), x, out, o.sum[k*z:(k+1)*z])
	})
	return nil
}

// join computes the sequences from lo to hi; sum is working memory.
func (o *experts) join(lo, hi int, x, out nn.Mat, sum []float64) {
	for i := lo; i < hi; i++ {
		if o.mean {
			o.average(i, x, out.Row(i), sum)
		} else {
			o.product(i, x, out.Row(i), sum)
		}
	}
}

// fromDeviations turns what the rows hold into variances: x stands for the
// standard deviation log(1+exp(x)).
func (o *experts) fromDeviations() {
	o.slope = grown(o.slope, len(o.variance))
	for i, v := range o.variance {
		x := float64(v)
		deviation := max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
		o.variance[i] = float32(deviation * deviation)
		o.slope[i] = float32(2 * deviation / (1 + math.Exp(-x)))
	}
}

// counted is the number of times that row t of sequence i is an expert.
func (o *experts) counted(i, t int) float64 {
	if t <= o.seqs.Keys[i] {
		return 1
	}
	return o.weight[i]
}

func (o *experts) product(i int, x nn.Mat, out []float32, sum []float64) {
	z := x.Cols / 2
	first, rows := o.seqs.At(i)
	p := o.precision[i*z : (i+1)*z]
	clear(sum)
	for d := range p {
		p[d] = o.prior
	}
	for t := range rows {
		n, mu := o.counted(i, t), x.Row(first+t)
		for d, v := range o.variance[(first+t)*z : (first+t+1)*z] {
			w := n / (float64(v) + expertEps)
			p[d] += w
			sum[d] += w * float64(mu[d])
		}
	}
	for d := range p {
		out[d] = float32(sum[d] / p[d])
		out[z+d] = float32(-math.Log(p[d]))
	}
}

func (o *experts) average(i int, x nn.Mat, out []float32, sum []float64) {
	z := x.Cols / 2
	first, _ := o.seqs.At(i)
	keys := float64(o.seqs.Keys[i])
	p := o.precision[i*z : (i+1)*z] // here the sum of variances
	clear(p)
	clear(sum)
	for t := range o.seqs.Keys[i] {
		mu := x.Row(first + t)
		for d, v := range o.variance[(first+t)*z : (first+t+1)*z] {
			p[d] += float64(v)
			sum[d] += float64(mu[d])
		}
	}
	for d := range p {
		out[d] = float32(sum[d] / keys)
		out[z+d] = float32(math.Log(p[d] / keys))
	}
}

func (o *experts) Backward(in []nn.Mat, out, dOut nn.Mat, dIn []nn.Mat) error {
	if o.crew.Size() == 1 {
		o.joinGrad(0, out.Rows, in[0], out, dOut, dIn[0])
		return nil
	}
	o.crew.Each((out.Rows+atATime-1)/atATime, func(_, part int) {
		lo := part * atATime
		o.joinGrad(lo, min(lo+atATime, out.Rows), in[0], out, dOut, dIn[0])
	})
	return nil
}

// joinGrad is the gradient of join.
func (o *experts) joinGrad(lo, hi int, x, out, dOut, dx nn.Mat) {
	for i := lo; i < hi; i++ {
		if o.mean {
			o.averageGrad(i, dOut.Row(i), dx)
		} else {
			o.productGrad(i, x, out.Row(i), dOut.Row(i), dx)
		}
	}
}

func (o *experts) productGrad(i int, x nn.Mat, out, dOut []float32, dx nn.Mat) {
	z := x.Cols / 2
	first, rows := o.seqs.At(i)
	p := o.precision[i*z : (i+1)*z]
	for t := range rows {
		n, mu, d := o.counted(i, t), x.Row(first+t), dx.Row(first+t)
		for k, v := range o.variance[(first+t)*z : (first+t+1)*z] {
			w := 1 / (float64(v) + expertEps)
			dMean, dLog := float64(dOut[k]), float64(dOut[z+k])
			d[k] = float32(n * w / p[k] * dMean)
			dw := n / p[k] * ((float64(mu[k])-float64(out[k]))*dMean - dLog)
			d[z+k] = float32(-dw * w * w * float64(o.slope[(first+t)*z+k]))
		}
	}
}

func (o *experts) averageGrad(i int, dOut []float32, dx nn.Mat) {
	z := dx.Cols / 2
	first, rows := o.seqs.At(i)
	p, keys := o.precision[i*z:(i+1)*z], o.seqs.Keys[i]
	for t := range rows {
		d := dx.Row(first + t)
		if t >= keys {
			clear(d)
			continue
		}
		for k, v := range o.slope[(first+t)*z : (first+t+1)*z] {
			d[k] = dOut[k] / float32(keys)
			d[z+k] = float32(float64(dOut[z+k]) * float64(v) / p[k])
		}
	}
}

// grown returns a slice of n elements with undefined contents, reusing s.
func grown[E any](s []E, n int) []E {
	if cap(s) < n {
		return make([]E, n)
	}
	return s[:n]
}

package nn

import (
	"fmt"

	"macpro/core/nn/internal/kernel"
)

// Set is one kind of items that a row holds a number of, such as the enemies
// that an agent sees. The J items of a row lie side by side: a matrix of rows
// with J*Width columns. J may differ from graph to graph; parameters do not
// depend on it.
type Set struct {
	Name  string // of its tensors
	Width int    // features of an item
	// Seen is the number of leading features that are all zero where there is
	// no item; attention then passes it over. 0 looks at every item.
	Seen int
}

// needSets checks the widths of row inputs that hold items and returns the
// number of items in a row of each.
func needSets(sets []Set, width []int, dst []int) error {
	for i, s := range sets {
		if width[i] < 1 || width[i]%s.Width != 0 {
			return fmt.Errorf("rows of %s items have width %d, want a multiple of %d", s.Name, width[i], s.Width)
		}
		dst[i] = width[i] / s.Width
	}
	return nil
}

// sameRows is an error unless all extents are the same one.
func sameRows(ext []*Extent) error {
	for _, e := range ext {
		if e == nil || e != ext[0] {
			return fmt.Errorf("inputs with unlike rows")
		}
	}
	return nil
}

// needSegment is an error unless an input is a module's segment.
func needSegment(ext *Extent, width int, s Segment) error {
	if ext != nil || width != s.Len {
		return fmt.Errorf("parameters of width %d, segment %s has %d", width, s.Name, s.Len)
	}
	return nil
}

// dotItems sets dst[r,j] = p[r] . items[r,j] for p [rows,w] and items
// [rows,n,w].
func dotItems(rows, n, w int, p, items, dst []float32) {
	for r := range rows {
		own := p[r*w : (r+1)*w]
		for j := range n {
			item, sum := items[(r*n+j)*w:(r*n+j+1)*w], float32(0)
			for i, x := range own {
				sum += x * item[i]
			}
			dst[r*n+j] = sum
		}
	}
}

// mixItems adds sum_j a[r,j]*items[r,j] to dst[r] for a [rows,n] and items
// [rows,n,w].
func mixItems(rows, n, w int, a, items, dst []float32) {
	for r := range rows {
		sum := dst[r*w : (r+1)*w]
		for j := range n {
			kernel.Axpy(sum, a[r*n+j], items[(r*n+j)*w:(r*n+j+1)*w])
		}
	}
}

// besideOp puts the rows of its inputs beside each other.
type besideOp struct{}

// Beside makes an operation that joins inputs with equal rows into one, the
// columns of the first input first.
func Beside() Fused { return besideOp{} }

func (besideOp) Name() string       { return "beside" }
func (besideOp) NeedsGrad(int) bool { return true }

func (besideOp) Out(ext []*Extent, width []int) (*Extent, int, error) {
	if len(ext) == 0 {
		return nil, 0, fmt.Errorf("no inputs")
	}
	sum := 0
	for _, w := range width {
		sum += w
	}
	return ext[0], sum, sameRows(ext)
}

func (besideOp) Forward(in []Mat, out Mat) error {
	for r := range out.Rows {
		dst := out.Row(r)
		for _, m := range in {
			dst = dst[copy(dst, m.Row(r)):]
		}
	}
	return nil
}

func (besideOp) Backward(in []Mat, _, dOut Mat, dIn []Mat) error {
	for r := range dOut.Rows {
		src := dOut.Row(r)
		for i, m := range in {
			if dIn[i].Data != nil {
				copy(dIn[i].Row(r), src)
			}
			src = src[m.Cols:]
		}
	}
	return nil
}

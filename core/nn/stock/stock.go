// Package stock offers Gorgonia's own nodes to variants that are tried out
// before anyone writes a fused operation for them. They are correct but slow
// (every node allocates its result in each run), and they know nothing of row
// counts: they see all rows up to the capacity, those beyond the current length
// being zero in what comes from fused operations and inputs. A sum over rows
// must therefore be masked.
//
//	w, err := g.ParamNode(net, layer.Segment, "fc1.weight")
//	wt, err := stock.Transpose(w, 1, 0)
//	y, err := stock.MatMul(x.Node(), wt)
//	v, err := g.Wrap("y", y, x.Extent())
package stock

import (
	"gorgonia.org/gorgonia"

	"macpro/core/nn"
)

// Constant is a scalar that does not change.
func Constant(v float32) *nn.Node { return gorgonia.NewConstant(v) }

// Add is a + b, element by element.
func Add(a, b *nn.Node) (*nn.Node, error) { return gorgonia.Add(a, b) }

// Sub is a - b, element by element.
func Sub(a, b *nn.Node) (*nn.Node, error) { return gorgonia.Sub(a, b) }

// Hadamard is a * b, element by element.
func Hadamard(a, b *nn.Node) (*nn.Node, error) { return gorgonia.HadamardProd(a, b) }

// MatMul is the matrix product of a [m,k] and b [k,n].
func MatMul(a, b *nn.Node) (*nn.Node, error) { return gorgonia.Mul(a, b) }

// AddRow adds the row b [1,n] to every row of a [m,n].
func AddRow(a, b *nn.Node) (*nn.Node, error) { return gorgonia.BroadcastAdd(a, b, nil, []byte{0}) }

// Transpose reorders the axes of a.
func Transpose(a *nn.Node, axes ...int) (*nn.Node, error) { return gorgonia.Transpose(a, axes...) }

// Concat joins nodes along an axis.
func Concat(axis int, a ...*nn.Node) (*nn.Node, error) { return gorgonia.Concat(axis, a...) }

// Sum adds up along the axes, or over everything if there are none.
func Sum(a *nn.Node, axes ...int) (*nn.Node, error) { return gorgonia.Sum(a, axes...) }

// Neg is -a.
func Neg(a *nn.Node) (*nn.Node, error) { return gorgonia.Neg(a) }

// Abs is |a|.
func Abs(a *nn.Node) (*nn.Node, error) { return gorgonia.Abs(a) }

// Square is a*a.
func Square(a *nn.Node) (*nn.Node, error) { return gorgonia.Square(a) }

// Exp is e^a.
func Exp(a *nn.Node) (*nn.Node, error) { return gorgonia.Exp(a) }

// Log is the natural logarithm of a.
func Log(a *nn.Node) (*nn.Node, error) { return gorgonia.Log(a) }

// Tanh is tanh(a).
func Tanh(a *nn.Node) (*nn.Node, error) { return gorgonia.Tanh(a) }

// Sigmoid is 1/(1+e^-a).
func Sigmoid(a *nn.Node) (*nn.Node, error) { return gorgonia.Sigmoid(a) }

// ReLU is max(a,0).
func ReLU(a *nn.Node) (*nn.Node, error) { return gorgonia.Rectify(a) }

// Softmax normalises e^a along the axes, the last one if there are none.
func Softmax(a *nn.Node, axes ...int) (*nn.Node, error) { return gorgonia.SoftMax(a, axes...) }

package kernel

// Exp sets dst = e^x. Overflow gives +Inf, underflow zero.
func Exp(dst, x []float32) {
	sameLen("Exp", len(dst), len(x))
	active.exp(dst, x)
}

// Tanh sets dst = tanh(x).
func Tanh(dst, x []float32) {
	sameLen("Tanh", len(dst), len(x))
	active.tanh(dst, x)
}

// Sigmoid sets dst = 1 / (1 + e^-x).
func Sigmoid(dst, x []float32) {
	sameLen("Sigmoid", len(dst), len(x))
	active.sigmoid(dst, x)
}

// ELU sets dst = x where x > 0 and e^x - 1 elsewhere.
func ELU(dst, x []float32) {
	sameLen("ELU", len(dst), len(x))
	active.elu(dst, x)
}

// ELUGrad sets dx = dy * ELU'(x), given y = ELU(x): the slope is 1 where
// y > 0 and y + 1 elsewhere.
func ELUGrad(dx, y, dy []float32) {
	sameLen("ELUGrad", len(dx), len(y), len(dy))
	active.eluGrad(dx, y, dy)
}

// ReLU sets dst = max(x, 0).
func ReLU(dst, x []float32) {
	sameLen("ReLU", len(dst), len(x))
	active.relu(dst, x)
}

// ReLUGrad sets dx = dy where y > 0 and zero elsewhere, given y = ReLU(x).
func ReLUGrad(dx, y, dy []float32) {
	sameLen("ReLUGrad", len(dx), len(y), len(dy))
	active.reluGrad(dx, y, dy)
}

// Abs sets dst = |x|.
func Abs(dst, x []float32) {
	sameLen("Abs", len(dst), len(x))
	active.abs(dst, x)
}

// AbsGrad sets dx = dy * sign(x), with sign(0) = 0. It needs the input of
// [Abs], not its output.
func AbsGrad(dx, x, dy []float32) {
	sameLen("AbsGrad", len(dx), len(x), len(dy))
	active.absGrad(dx, x, dy)
}

// Add sets dst += x.
func Add(dst, x []float32) {
	sameLen("Add", len(dst), len(x))
	active.add(dst, x)
}

// Sub sets dst -= x.
func Sub(dst, x []float32) {
	sameLen("Sub", len(dst), len(x))
	active.sub(dst, x)
}

// Mul sets dst *= x, element by element.
func Mul(dst, x []float32) {
	sameLen("Mul", len(dst), len(x))
	active.mul(dst, x)
}

// Axpy sets dst += alpha * x.
func Axpy(dst []float32, alpha float32, x []float32) {
	sameLen("Axpy", len(dst), len(x))
	active.axpy(dst, alpha, x)
}

// Scale sets dst *= alpha.
func Scale(dst []float32, alpha float32) { active.scale(dst, alpha) }

// Dot returns the sum of x * y, multiplied and summed in float64.
func Dot(x, y []float32) float64 {
	sameLen("Dot", len(x), len(y))
	return active.dot(x, y)
}

// SumSq returns the sum of x * x, multiplied and summed in float64.
func SumSq(x []float32) float64 { return active.dot(x, x) }

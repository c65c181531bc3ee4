package kernel

// BiasAct sets x = act(x + bias) in place for every row of the [rows,cols]
// matrix x; bias is [cols], or nil for none.
func BiasAct(rows, cols int, x []float32, ld int, bias []float32, act Act) {
	needMatrix("BiasAct", "x", rows, cols, ld, len(x))
	needAct("BiasAct", act)
	if bias != nil {
		needLen("BiasAct", "bias", cols, len(bias))
	}
	if rows > 0 && cols > 0 {
		active.biasAct(rows, cols, x, ld, bias, act)
	}
}

// ColSumAdd adds the column sums of the [rows,cols] matrix x to dst [cols]:
// the gradient of a bias. Each column is one chain over ascending rows that
// starts from dst.
func ColSumAdd(dst []float32, rows, cols int, x []float32, ld int) {
	needMatrix("ColSumAdd", "x", rows, cols, ld, len(x))
	needLen("ColSumAdd", "dst", cols, len(dst))
	if rows > 0 && cols > 0 {
		active.colSumAdd(dst, rows, cols, x, ld)
	}
}

// SoftmaxRows replaces each row of the [rows,cols] matrix x by its softmax. It is
// fastest where rows lie whole registers apart: ld a multiple of 16.
func SoftmaxRows(rows, cols int, x []float32, ld int) {
	needMatrix("SoftmaxRows", "x", rows, cols, ld, len(x))
	if rows > 0 && cols > 0 {
		active.softmax(rows, cols, x, ld)
	}
}

// SoftmaxRowsGrad sets dx = y * (dy - sum(y*dy)) row by row, the gradient of
// softmax given its output y. All three are [rows,cols] with leading dimension
// ld. dx may be dy.
func SoftmaxRowsGrad(rows, cols int, dx, y, dy []float32, ld int) {
	needMatrix("SoftmaxRowsGrad", "dx", rows, cols, ld, len(dx))
	needMatrix("SoftmaxRowsGrad", "y", rows, cols, ld, len(y))
	needMatrix("SoftmaxRowsGrad", "dy", rows, cols, ld, len(dy))
	if rows > 0 && cols > 0 {
		active.softmaxGrad(rows, cols, dx, y, dy, ld)
	}
}

// LayerNormRows sets out = gamma * (x - mean) * rstd + beta for each row of
// the dense [rows,cols] matrix x, where mean is the row's mean and
// rstd = 1/sqrt(variance + eps) with the variance taken over cols elements.
// mean and rstd are [rows] and are kept for the gradient. out may be x.
func LayerNormRows(rows, cols int, x, gamma, beta []float32, eps float32, out, mean, rstd []float32) {
	needMatrix("LayerNormRows", "x", rows, cols, cols, len(x))
	needMatrix("LayerNormRows", "out", rows, cols, cols, len(out))
	needLen("LayerNormRows", "gamma", cols, len(gamma))
	needLen("LayerNormRows", "beta", cols, len(beta))
	needLen("LayerNormRows", "mean", rows, len(mean))
	needLen("LayerNormRows", "rstd", rows, len(rstd))
	if rows > 0 && cols > 0 {
		active.layerNorm(rows, cols, x, gamma, beta, eps, out, mean, rstd)
	}
}

// LayerNormRowsGrad is the gradient of [LayerNormRows]. With
// xh = (x - mean) * rstd and g = dy * gamma it sets
// dx = rstd * (g - avg(g) - xh * avg(g*xh)) and adds dy*xh to dgamma and dy to
// dbeta, both [cols], row after row. dx may be dy.
func LayerNormRowsGrad(rows, cols int, x, gamma, mean, rstd, dy, dx, dgamma, dbeta []float32) {
	needMatrix("LayerNormRowsGrad", "x", rows, cols, cols, len(x))
	needMatrix("LayerNormRowsGrad", "dy", rows, cols, cols, len(dy))
	needMatrix("LayerNormRowsGrad", "dx", rows, cols, cols, len(dx))
	needLen("LayerNormRowsGrad", "gamma", cols, len(gamma))
	needLen("LayerNormRowsGrad", "mean", rows, len(mean))
	needLen("LayerNormRowsGrad", "rstd", rows, len(rstd))
	needLen("LayerNormRowsGrad", "dgamma", cols, len(dgamma))
	needLen("LayerNormRowsGrad", "dbeta", cols, len(dbeta))
	if rows > 0 && cols > 0 {
		active.layerNormGrad(rows, cols, x, gamma, mean, rstd, dy, dx, dgamma, dbeta)
	}
}

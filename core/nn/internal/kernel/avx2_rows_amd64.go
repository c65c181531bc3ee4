//go:build amd64 && !purego

package kernel

func (avx2) biasAct(rows, cols int, x []float32, ld int, bias []float32, act Act) {
	if bias == nil && ld == cols {
		rows, cols = 1, rows*cols
	}
	for i := range rows {
		row, b := &x[i*ld], first(bias)
		switch {
		case bias == nil && act == ActReLU:
			reluVec(cols, row, row)
		case bias == nil && act == ActAbs:
			absVec(cols, row, row)
		case bias == nil:
		case act == ActReLU:
			addReLUVec(cols, row, b)
		case act == ActAbs:
			addAbsVec(cols, row, b)
		default:
			addVec(cols, row, b)
		}
	}
}

func (avx2) colSumAdd(dst []float32, rows, cols int, x []float32, ld int) {
	for j := 0; j < cols; {
		switch rest := cols - j; {
		case rest >= 64:
			colSum64(rows, &dst[j], &x[j], 4*ld)
			j += 64
		case rest >= 32:
			colSum32(rows, &dst[j], &x[j], 4*ld)
			j += 32
		default:
			colSumTail(rows, min(16, rest), &dst[j], &x[j], 4*ld)
			j += 16
		}
	}
}

func (avx2) softmaxRow(x []float32) { softmaxVec(len(x), &x[0]) }

func (avx2) softmaxRowGrad(dx, y, dy []float32) { softmaxGradVec(len(dx), &dx[0], &y[0], &dy[0]) }

func (avx2) layerNormRow(x, gamma, beta []float32, eps float32, out []float32) (mean, rstd float32) {
	return layerNormVec(len(x), &x[0], &gamma[0], &beta[0], eps, 1/float32(len(x)), &out[0])
}

func (avx2) layerNormRowGrad(x, gamma []float32, mean, rstd float32, dy, dx, dgamma, dbeta []float32) {
	layerNormGradVec(len(x), &x[0], &gamma[0], mean, rstd, 1/float32(len(x)), &dy[0], &dx[0], &dgamma[0], &dbeta[0])
}

func (avx2) gruRow(h int, gx, gh, hPrev, r, z, n, hOut []float32) {
	gruVec(h, &gx[0], &gh[0], &hPrev[0], &r[0], &z[0], &n[0], &hOut[0])
}

func (avx2) gruRowGrad(h int, gh, hPrev, r, z, n, dh, dgx, dgh, dhPrev []float32) {
	gruGradVec(h, &gh[0], &hPrev[0], &r[0], &z[0], &n[0], &dh[0], &dgx[0], &dgh[0], &dhPrev[0])
}

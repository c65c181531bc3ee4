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

func (avx2) softmax(rows, cols int, x []float32, ld int) {
	for i := range rows {
		softmaxVec(cols, &x[i*ld])
	}
}

func (avx2) softmaxGrad(rows, cols int, dx, y, dy []float32, ld int) {
	for i := range rows {
		softmaxGradVec(cols, &dx[i*ld], &y[i*ld], &dy[i*ld])
	}
}

func (avx2) layerNorm(rows, cols int, x, gamma, beta []float32, eps float32, out, mean, rstd []float32) {
	for i := range rows {
		mean[i], rstd[i] = layerNormVec(cols, &x[i*cols], &gamma[0], &beta[0], eps, 1/float32(cols), &out[i*cols])
	}
}

func (avx2) layerNormGrad(rows, cols int, x, gamma, mean, rstd, dy, dx, dgamma, dbeta []float32) {
	for i := range rows {
		layerNormGradVec(cols, &x[i*cols], &gamma[0], mean[i], rstd[i], 1/float32(cols), &dy[i*cols], &dx[i*cols], &dgamma[0], &dbeta[0])
	}
}

func (avx2) gru(rows, h int, gx, gh, hPrev, r, z, n, hOut []float32) {
	gruRows(rows, h, &gx[0], &gh[0], &hPrev[0], &r[0], &z[0], &n[0], &hOut[0])
}

func (avx2) gruGrad(rows, h int, gh, hPrev, r, z, n, dh, dgx, dgh, dhPrev []float32) {
	gruGradRows(rows, h, &gh[0], &hPrev[0], &r[0], &z[0], &n[0], &dh[0], &dgx[0], &dgh[0], &dhPrev[0])
}

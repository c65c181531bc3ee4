//go:build amd64 && !purego

package kernel

// vectors is the number of registers that a row of n elements fills.
func vectors(n int) int { return (n + 15) / 16 }

func (w avx512) softmax(rows, cols int, x []float32, ld int) {
	switch vectors(cols) {
	case 1:
		softmaxRows16(rows, cols, &x[0], 4*ld)
	case 2:
		softmaxRows32(rows, cols, &x[0], 4*ld)
	case 3:
		softmaxRows48(rows, cols, &x[0], 4*ld)
	case 4:
		softmaxRows64(rows, cols, &x[0], 4*ld)
	case 5:
		softmaxRows80(rows, cols, &x[0], 4*ld)
	case 6:
		softmaxRows96(rows, cols, &x[0], 4*ld)
	case 7:
		softmaxRows112(rows, cols, &x[0], 4*ld)
	case 8:
		softmaxRows128(rows, cols, &x[0], 4*ld)
	default:
		w.avx2.softmax(rows, cols, x, ld)
	}
}

func (w avx512) softmaxGrad(rows, cols int, dx, y, dy []float32, ld int) {
	switch vectors(cols) {
	case 1:
		softmaxGradRows16(rows, cols, &dx[0], &y[0], &dy[0], 4*ld)
	case 2:
		softmaxGradRows32(rows, cols, &dx[0], &y[0], &dy[0], 4*ld)
	case 3:
		softmaxGradRows48(rows, cols, &dx[0], &y[0], &dy[0], 4*ld)
	case 4:
		softmaxGradRows64(rows, cols, &dx[0], &y[0], &dy[0], 4*ld)
	case 5:
		softmaxGradRows80(rows, cols, &dx[0], &y[0], &dy[0], 4*ld)
	case 6:
		softmaxGradRows96(rows, cols, &dx[0], &y[0], &dy[0], 4*ld)
	case 7:
		softmaxGradRows112(rows, cols, &dx[0], &y[0], &dy[0], 4*ld)
	case 8:
		softmaxGradRows128(rows, cols, &dx[0], &y[0], &dy[0], 4*ld)
	default:
		w.avx2.softmaxGrad(rows, cols, dx, y, dy, ld)
	}
}

func (w avx512) layerNorm(rows, cols int, x, gamma, beta []float32, eps float32, out, mean, rstd []float32) {
	inv := 1 / float32(cols)
	switch vectors(cols) {
	case 1:
		layerNormRows16(rows, cols, &x[0], &gamma[0], &beta[0], eps, inv, &out[0], &mean[0], &rstd[0])
	case 2:
		layerNormRows32(rows, cols, &x[0], &gamma[0], &beta[0], eps, inv, &out[0], &mean[0], &rstd[0])
	case 3:
		layerNormRows48(rows, cols, &x[0], &gamma[0], &beta[0], eps, inv, &out[0], &mean[0], &rstd[0])
	case 4:
		layerNormRows64(rows, cols, &x[0], &gamma[0], &beta[0], eps, inv, &out[0], &mean[0], &rstd[0])
	default:
		w.avx2.layerNorm(rows, cols, x, gamma, beta, eps, out, mean, rstd)
	}
}

func (w avx512) layerNormGrad(rows, cols int, x, gamma, mean, rstd, dy, dx, dgamma, dbeta []float32) {
	inv := 1 / float32(cols)
	switch vectors(cols) {
	case 1:
		layerNormGradRows16(rows, cols, &x[0], &gamma[0], &mean[0], &rstd[0], inv, &dy[0], &dx[0], &dgamma[0], &dbeta[0])
	case 2:
		layerNormGradRows32(rows, cols, &x[0], &gamma[0], &mean[0], &rstd[0], inv, &dy[0], &dx[0], &dgamma[0], &dbeta[0])
	case 3:
		layerNormGradRows48(rows, cols, &x[0], &gamma[0], &mean[0], &rstd[0], inv, &dy[0], &dx[0], &dgamma[0], &dbeta[0])
	case 4:
		layerNormGradRows64(rows, cols, &x[0], &gamma[0], &mean[0], &rstd[0], inv, &dy[0], &dx[0], &dgamma[0], &dbeta[0])
	default:
		w.avx2.layerNormGrad(rows, cols, x, gamma, mean, rstd, dy, dx, dgamma, dbeta)
	}
}

func (avx512) gru(rows, h int, gx, gh, hPrev, r, z, n, hOut []float32) {
	gruRows512(rows, h, &gx[0], &gh[0], &hPrev[0], &r[0], &z[0], &n[0], &hOut[0])
}

func (avx512) gruGrad(rows, h int, gh, hPrev, r, z, n, dh, dgx, dgh, dhPrev []float32) {
	gruGradRows512(rows, h, &gh[0], &hPrev[0], &r[0], &z[0], &n[0], &dh[0], &dgx[0], &dgh[0], &dhPrev[0])
}

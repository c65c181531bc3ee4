//go:build amd64 && !purego

package kernel

// The functions on rows that fill so many registers less one.
var (
	softmaxBy       = [...]func(rows, n int, x *float32, ld int){softmaxRows16, softmaxRows32, softmaxRows48, softmaxRows64, softmaxRows80, softmaxRows96, softmaxRows112, softmaxRows128}
	softmaxGradBy   = [...]func(rows, n int, dx, y, dy *float32, ld int){softmaxGradRows16, softmaxGradRows32, softmaxGradRows48, softmaxGradRows64, softmaxGradRows80, softmaxGradRows96, softmaxGradRows112, softmaxGradRows128}
	layerNormBy     = [...]func(rows, n int, x, gamma, beta *float32, eps, inv float32, out, mean, rstd *float32){layerNormRows16, layerNormRows32, layerNormRows48, layerNormRows64}
	layerNormGradBy = [...]func(rows, n int, x, gamma, mean, rstd *float32, inv float32, dy, dx, dgamma, dbeta *float32){layerNormGradRows16, layerNormGradRows32, layerNormGradRows48, layerNormGradRows64}
)

// vectors is the number of registers that a row of n elements fills, less one.
func vectors(n int) int { return (n - 1) / 16 }

func (w avx512) softmax(rows, cols int, x []float32, ld int) {
	if v := vectors(cols); v < len(softmaxBy) {
		softmaxBy[v](rows, cols, &x[0], 4*ld)
	} else {
		w.avx2.softmax(rows, cols, x, ld)
	}
}

func (w avx512) softmaxGrad(rows, cols int, dx, y, dy []float32, ld int) {
	if v := vectors(cols); v < len(softmaxGradBy) {
		softmaxGradBy[v](rows, cols, &dx[0], &y[0], &dy[0], 4*ld)
	} else {
		w.avx2.softmaxGrad(rows, cols, dx, y, dy, ld)
	}
}

func (w avx512) layerNorm(rows, cols int, x, gamma, beta []float32, eps float32, out, mean, rstd []float32) {
	if v := vectors(cols); v < len(layerNormBy) {
		layerNormBy[v](rows, cols, &x[0], &gamma[0], &beta[0], eps, 1/float32(cols), &out[0], &mean[0], &rstd[0])
	} else {
		w.avx2.layerNorm(rows, cols, x, gamma, beta, eps, out, mean, rstd)
	}
}

func (w avx512) layerNormGrad(rows, cols int, x, gamma, mean, rstd, dy, dx, dgamma, dbeta []float32) {
	if v := vectors(cols); v < len(layerNormGradBy) {
		layerNormGradBy[v](rows, cols, &x[0], &gamma[0], &mean[0], &rstd[0], 1/float32(cols), &dy[0], &dx[0], &dgamma[0], &dbeta[0])
	} else {
		w.avx2.layerNormGrad(rows, cols, x, gamma, mean, rstd, dy, dx, dgamma, dbeta)
	}
}

func (avx512) gru(rows, h int, gx, gh, hPrev, r, z, n, hOut []float32) {
	gruRows512(rows, h, &gx[0], &gh[0], &hPrev[0], &r[0], &z[0], &n[0], &hOut[0])
}

func (avx512) gruGrad(rows, h int, gh, hPrev, r, z, n, dh, dgx, dgh, dhPrev []float32) {
	gruGradRows512(rows, h, &gh[0], &hPrev[0], &r[0], &z[0], &n[0], &dh[0], &dgx[0], &dgh[0], &dhPrev[0])
}

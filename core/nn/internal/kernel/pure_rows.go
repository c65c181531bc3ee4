package kernel

import "math"

func (u pure) biasAct(rows, cols int, x []float32, ld int, bias []float32, act Act) {
	for i := range rows {
		row := x[i*ld : i*ld+cols]
		if bias != nil {
			u.add(row, bias[:cols])
		}
		switch act {
		case ActReLU:
			u.relu(row, row)
		case ActAbs:
			u.abs(row, row)
		}
	}
}

func (u pure) colSumAdd(dst []float32, rows, cols int, x []float32, ld int) {
	for i := range rows {
		u.add(dst[:cols], x[i*ld:i*ld+cols])
	}
}

func (u pure) softmax(rows, cols int, x []float32, ld int) {
	for i := range rows {
		u.softmaxRow(x[i*ld : i*ld+cols])
	}
}

func (u pure) softmaxRow(x []float32) {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var sum float32
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v - top)))
		sum += x[i]
	}
	u.scale(x, 1/sum)
}

func (u pure) softmaxGrad(rows, cols int, dx, y, dy []float32, ld int) {
	for i := range rows {
		lo, hi := i*ld, i*ld+cols
		u.softmaxRowGrad(dx[lo:hi], y[lo:hi], dy[lo:hi])
	}
}

func (pure) softmaxRowGrad(dx, y, dy []float32) {
	var sum float32
	for i, v := range y {
		sum += v * dy[i]
	}
	for i, v := range y {
		dx[i] = v * (dy[i] - sum)
	}
}

func (u pure) layerNorm(rows, cols int, x, gamma, beta []float32, eps float32, out, mean, rstd []float32) {
	for i := range rows {
		lo, hi := i*cols, (i+1)*cols
		mean[i], rstd[i] = u.layerNormRow(x[lo:hi], gamma, beta, eps, out[lo:hi])
	}
}

func (pure) layerNormRow(x, gamma, beta []float32, eps float32, out []float32) (mean, rstd float32) {
	for _, v := range x {
		mean += v
	}
	mean /= float32(len(x))
	var square float32
	for _, v := range x {
		square += (v - mean) * (v - mean)
	}
	rstd = 1 / sqrt32(square/float32(len(x))+eps)
	for i, v := range x {
		out[i] = gamma[i]*((v-mean)*rstd) + beta[i]
	}
	return mean, rstd
}

func (u pure) layerNormGrad(rows, cols int, x, gamma, mean, rstd, dy, dx, dgamma, dbeta []float32) {
	for i := range rows {
		lo, hi := i*cols, (i+1)*cols
		u.layerNormRowGrad(x[lo:hi], gamma, mean[i], rstd[i], dy[lo:hi], dx[lo:hi], dgamma, dbeta)
	}
}

func (pure) layerNormRowGrad(x, gamma []float32, mean, rstd float32, dy, dx, dgamma, dbeta []float32) {
	var sumG, sumGX float32
	for i, v := range x {
		xh, g := (v-mean)*rstd, dy[i]*gamma[i]
		sumG += g
		sumGX += g * xh
		dgamma[i] += dy[i] * xh
		dbeta[i] += dy[i]
	}
	avgG, avgGX := sumG/float32(len(x)), sumGX/float32(len(x))
	for i, v := range x {
		xh, g := (v-mean)*rstd, dy[i]*gamma[i]
		dx[i] = rstd * (g - avgG - xh*avgGX)
	}
}

func (u pure) gru(rows, h int, gx, gh, hPrev, r, z, n, hOut []float32) {
	for i := range rows {
		g, lo, hi := i*3*h, i*h, (i+1)*h
		u.gruRow(h, gx[g:], gh[g:], hPrev[lo:hi], r[lo:hi], z[lo:hi], n[lo:hi], hOut[lo:hi])
	}
}

func (pure) gruRow(h int, gx, gh, hPrev, r, z, n, hOut []float32) {
	for j := range h {
		r[j] = sigmoid32(gx[j] + gh[j])
		z[j] = sigmoid32(gx[h+j] + gh[h+j])
		n[j] = tanh32(gx[2*h+j] + r[j]*gh[2*h+j])
		hOut[j] = (1-z[j])*n[j] + z[j]*hPrev[j]
	}
}

func (u pure) gruGrad(rows, h int, gh, hPrev, r, z, n, dh, dgx, dgh, dhPrev []float32) {
	for i := range rows {
		g, lo, hi := i*3*h, i*h, (i+1)*h
		u.gruRowGrad(h, gh[g:], hPrev[lo:hi], r[lo:hi], z[lo:hi], n[lo:hi], dh[lo:hi], dgx[g:], dgh[g:], dhPrev[lo:hi])
	}
}

func (pure) gruRowGrad(h int, gh, hPrev, r, z, n, dh, dgx, dgh, dhPrev []float32) {
	for j := range h {
		rj, zj, nj, d := r[j], z[j], n[j], dh[j]
		dn := d * (1 - zj) * (1 - nj*nj)
		dz := d * (hPrev[j] - nj) * zj * (1 - zj)
		dr := dn * gh[2*h+j] * rj * (1 - rj)
		dgx[j], dgx[h+j], dgx[2*h+j] = dr, dz, dn
		dgh[j], dgh[h+j], dgh[2*h+j] = dr, dz, dn*rj
		dhPrev[j] = d * zj
	}
}

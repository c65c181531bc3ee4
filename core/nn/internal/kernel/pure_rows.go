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

func (pure) softmaxRowGrad(dx, y, dy []float32) {
	var sum float32
	for i, v := range y {
		sum += v * dy[i]
	}
	for i, v := range y {
		dx[i] = v * (dy[i] - sum)
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

func (pure) gruRow(h int, gx, gh, hPrev, r, z, n, hOut []float32) {
	for j := range h {
		r[j] = sigmoid32(gx[j] + gh[j])
		z[j] = sigmoid32(gx[h+j] + gh[h+j])
		n[j] = tanh32(gx[2*h+j] + r[j]*gh[2*h+j])
		hOut[j] = (1-z[j])*n[j] + z[j]*hPrev[j]
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

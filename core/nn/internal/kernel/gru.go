package kernel

// GRUGates is the pointwise part of a GRU cell. gx and gh are [rows,3h]: the
// input's and the hidden state's contributions to the gates in the order
// r, z, n, biases included. For each row
//
//	r = sigmoid(gx_r + gh_r)
//	z = sigmoid(gx_z + gh_z)
//	n = tanh(gx_n + r*gh_n)
//	hOut = (1-z)*n + z*hPrev
//
// hPrev, r, z, n and hOut are [rows,h]. hOut may be hPrev.
func GRUGates(rows, h int, gx, gh, hPrev, r, z, n, hOut []float32) {
	const fn = "GRUGates"
	needLen(fn, "gx", rows*3*h, len(gx))
	needLen(fn, "gh", rows*3*h, len(gh))
	needLen(fn, "hPrev", rows*h, len(hPrev))
	needLen(fn, "r", rows*h, len(r))
	needLen(fn, "z", rows*h, len(z))
	needLen(fn, "n", rows*h, len(n))
	needLen(fn, "hOut", rows*h, len(hOut))
	if rows > 0 && h > 0 {
		active.gru(rows, h, gx, gh, hPrev, r, z, n, hOut)
	}
}

// GRUGatesGrad is the gradient of [GRUGates]. From gh, hPrev, the stored
// gates and dh, the gradient with respect to hOut, it sets
//
//	dgx_n = dh*(1-z)*(1-n*n)            dgh_n = dgx_n*r
//	dgx_z = dh*(hPrev-n)*z*(1-z)        dgh_z = dgx_z
//	dgx_r = dgx_n*gh_n*r*(1-r)          dgh_r = dgx_r
//	dhPrev = dh*z
//
// dgx and dgh are [rows,3h]. dhPrev is the direct part only; the part through
// gh is the product of dgh with the recurrent weights, to be added by the
// caller. dhPrev may be dh, and dgh may be gh.
func GRUGatesGrad(rows, h int, gh, hPrev, r, z, n, dh, dgx, dgh, dhPrev []float32) {
	const fn = "GRUGatesGrad"
	needLen(fn, "gh", rows*3*h, len(gh))
	needLen(fn, "hPrev", rows*h, len(hPrev))
	needLen(fn, "r", rows*h, len(r))
	needLen(fn, "z", rows*h, len(z))
	needLen(fn, "n", rows*h, len(n))
	needLen(fn, "dh", rows*h, len(dh))
	needLen(fn, "dgx", rows*3*h, len(dgx))
	needLen(fn, "dgh", rows*3*h, len(dgh))
	needLen(fn, "dhPrev", rows*h, len(dhPrev))
	if rows > 0 && h > 0 {
		active.gruGrad(rows, h, gh, hPrev, r, z, n, dh, dgx, dgh, dhPrev)
	}
}

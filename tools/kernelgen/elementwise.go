package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

// genElementwise emits every function that treats each element alike.
func genElementwise() {
	unary := map[string]func(x VecVirtual){
		"exp": exp, "tanh": tanh, "sigmoid": sigmoid, "elu": elu,
		"relu": relu, "abs": func(x VecVirtual) { and(bits(absBits), x, x) },
	}
	for _, name := range []string{"exp", "tanh", "sigmoid", "elu", "relu", "abs"} {
		function(name+"Vec"+suffix(), "(n int, dst, x *float32)", name+"Vec is the vector form of "+name+".")
		newLoop("dst x", 1).run(func(v lanes) {
			x := v.load("x")
			unary[name](x)
			v.store(x, "dst")
		})
	}
	genArithmetic()
	genSlopes()
	genOptimisers()
	genGRU()
}

func relu(x VecVirtual) {
	zero := vec()
	clearVec(zero)
	VMAXPS(x, zero, x)
}

// genArithmetic emits dst = dst op x and its relatives.
func genArithmetic() {
	binary := map[string]func(x, dst VecVirtual){
		"add":     func(x, dst VecVirtual) { VADDPS(x, dst, dst) },
		"sub":     func(x, dst VecVirtual) { VSUBPS(x, dst, dst) },
		"mul":     func(x, dst VecVirtual) { VMULPS(x, dst, dst) },
		"addReLU": func(x, dst VecVirtual) { VADDPS(x, dst, dst); relu(dst) },
		"addAbs":  func(x, dst VecVirtual) { VADDPS(x, dst, dst); and(bits(absBits), dst, dst) },
	}
	names := []string{"add", "sub", "mul", "addReLU", "addAbs"}
	if wide {
		names = names[:3] // biases are added by AVX2
	}
	for _, name := range names {
		function(name+"Vec"+suffix(), "(n int, dst, x *float32)", name+"Vec combines x into dst.")
		newLoop("dst x", 1).run(func(v lanes) {
			x, dst := v.load("x"), v.load("dst")
			binary[name](x, dst)
			v.store(dst, "dst")
		})
	}
	function("axpyVec"+suffix(), "(n int, dst *float32, alpha float32, x *float32)", "axpyVec adds alpha*x to dst.")
	l, alpha := newLoop("dst x", 1), broadcast("alpha")
	l.run(func(v lanes) {
		x, dst := v.load("x"), v.load("dst")
		VFMADD231PS(x, alpha, dst)
		v.store(dst, "dst")
	})
	function("scaleVec"+suffix(), "(n int, dst *float32, alpha float32)", "scaleVec multiplies dst by alpha.")
	l, alpha = newLoop("dst", 1), broadcast("alpha")
	l.run(func(v lanes) {
		dst := v.load("dst")
		VMULPS(alpha, dst, dst)
		v.store(dst, "dst")
	})
}

// genSlopes emits the gradients of the activations.
func genSlopes() {
	slopes := map[string]func(y, dy VecVirtual){
		"eluGrad": func(y, dy VecVirtual) {
			slope := vec()
			VADDPS(f32(1), y, slope)
			VMULPS(dy, slope, slope)
			choosePositive(y, dy, slope, dy)
		},
		"reluGrad": keepPositive,
		"absGrad": func(x, dy VecVirtual) {
			sign := vec()
			and(bits(signBit), x, sign)
			xor(sign, dy, dy)
			and(bits(absBits), x, x)
			keepPositive(x, dy)
		},
	}
	for _, name := range []string{"eluGrad", "reluGrad", "absGrad"} {
		function(name+"Vec"+suffix(), "(n int, dx, y, dy *float32)", name+"Vec multiplies dy by the slope at y.")
		newLoop("dx y dy", 1).run(func(v lanes) {
			y, dy := v.load("y"), v.load("dy")
			slopes[name](y, dy)
			v.store(dy, "dx")
		})
	}
}

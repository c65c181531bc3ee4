package main

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// pool hands out read-only data, each constant once.
var pool = map[string]Mem{}

// wide makes the helpers work on sixteen lanes in AVX-512 registers instead of
// eight in AVX2 registers.
var wide bool

// vec returns a new register of as many lanes.
func vec() VecVirtual {
	if wide {
		return ZMM()
	}
	return YMM()
}

// suffix is the end of the names of wide functions.
func suffix() string {
	if wide {
		return "512"
	}
	return ""
}

// bits returns sixteen copies of a 32-bit pattern in memory.
func bits(v uint32) Mem {
	name := fmt.Sprintf("k%08x", v)
	if m, ok := pool[name]; ok {
		return m
	}
	m := GLOBL(name, attr.RODATA|attr.NOPTR)
	for i := range 16 {
		DATA(4*i, U32(v))
	}
	pool[name] = m
	return m
}

// f32 returns sixteen copies of a float in memory.
func f32(v float64) Mem { return bits(math.Float32bits(float32(v))) }

const (
	signBit = 0x80000000
	absBits = 0x7fffffff
)

// maskTable is sixteen words of ones followed by sixteen words of zeros. The
// vectors that start 4*r bytes before the zeros select r leading lanes.
func maskTable() Mem {
	if m, ok := pool["lanes"]; ok {
		return m
	}
	m := GLOBL("lanes", attr.RODATA|attr.NOPTR)
	for i := range 32 {
		v := uint32(0)
		if i < 16 {
			v = math.MaxUint32
		}
		DATA(4*i, U32(v))
	}
	pool["lanes"] = m
	return m
}

// ramp returns the integers 0 to 7 in memory.
func ramp() Mem {
	if m, ok := pool["ramp"]; ok {
		return m
	}
	m := GLOBL("ramp", attr.RODATA|attr.NOPTR)
	for i := range 8 {
		DATA(4*i, U32(uint32(i)))
	}
	pool["ramp"] = m
	return m
}

// laneMask sets mask to select the lanes first..first+7 below r, 0 <= r <= 16.
// It destroys r.
func laneMask(r Register, firsts []int, masks ...VecVirtual) {
	table := GP64()
	LEAQ(maskTable(), table)
	NEGQ(r)
	for i, first := range firsts {
		VMOVUPS(Mem{Base: table, Index: r, Scale: 4, Disp: 64 + 4*first}, masks[i])
	}
}

// wideMask is the mask of the first r lanes, 0 <= r <= 16. It destroys r.
func wideMask(r Register) OpmaskVirtual {
	table, z, k := GP64(), ZMM(), K()
	LEAQ(maskTable(), table)
	NEGQ(r)
	VMOVUPS(Mem{Base: table, Index: r, Scale: 4, Disp: 64}, z)
	VPTESTMD(z, z, k)
	return k
}

// broadcast returns a vector filled with a float32 parameter.
func broadcast(param string) VecVirtual {
	p, err := Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	y := vec()
	VBROADCASTSS(p.Addr, y)
	return y
}

// pointer loads a pointer or integer parameter.
func pointer(param string) Register { return Load(Param(param), GP64()) }

func u8(v int) Constant { return U8(uint8(v)) }

// clearVec, and, or and xor are the bitwise operations, which AVX-512F has on
// integers only.
func clearVec(x VecVirtual) { xor(x, x, x) }

func and(a Op, b, dst VecVirtual) {
	if wide {
		VPANDD(a, b, dst)
	} else {
		VANDPS(a, b, dst)
	}
}

func or(a Op, b, dst VecVirtual) {
	if wide {
		VPORD(a, b, dst)
	} else {
		VORPS(a, b, dst)
	}
}

func xor(a Op, b, dst VecVirtual) {
	if wide {
		VPXORD(a, b, dst)
	} else {
		VXORPS(a, b, dst)
	}
}

// greater is the comparison "greater than, false for NaN" of VCMPPS.
const greater = 0x1e

// choosePositive sets dst to yes in the lanes where x > 0 and to no elsewhere.
func choosePositive(x, yes, no, dst VecVirtual) {
	zero := vec()
	clearVec(zero)
	if wide {
		k := K()
		VCMPPS(u8(greater), zero, x, k)
		VBLENDMPS(yes, no, k, dst)
		return
	}
	VCMPPS(u8(greater), zero, x, zero)
	VBLENDVPS(zero, yes, no, dst)
}

// keepPositive clears y in the lanes where x > 0 does not hold.
func keepPositive(x, y VecVirtual) {
	zero := vec()
	clearVec(zero)
	if wide {
		k := K()
		VCMPPS(u8(greater), zero, x, k)
		VMOVAPS_Z(y, k, y)
		return
	}
	VCMPPS(u8(greater), zero, x, zero)
	and(zero, y, y)
}

package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// function starts an assembly function.
func function(name, signature, doc string) {
	TEXT(name, attr.NOSPLIT, "func"+signature)
	Pragma("noescape")
	Doc(doc)
}

// stream is one slice of an element-wise function: a pointer parameter and, for
// the parts of a gate matrix, which third of the row it is. Its element i is at
// pointer + 4*(i + third*h).
type stream struct {
	param string
	third int
}

// lanes is the state of one vector of an element-wise function.
type lanes struct {
	loop   *loop
	masked bool
}

// loop walks over n elements, one vector at a time and the rest masked.
type loop struct {
	base   map[string]Register
	index  []Register // byte offsets of the thirds
	mask   VecVirtual
	wide   OpmaskVirtual // the mask of AVX-512
	passes int
}

// newLoop loads the pointers of a function whose other parameters are scalars.
// thirds is 3 if it walks gate matrices, else 1.
func newLoop(pointers string, thirds int) *loop {
	l := &loop{base: map[string]Register{}}
	for _, p := range strings.Fields(pointers) {
		l.base[p] = pointer(p)
	}
	for range thirds {
		l.index = append(l.index, GP64())
	}
	return l
}

// rewind sets the offsets to the first element of each third.
func (l *loop) rewind() {
	XORQ(l.index[0], l.index[0])
	if len(l.index) > 1 {
		MOVQ(param("n"), l.index[1])
		SHLQ(U8(2), l.index[1])
		LEAQ(Mem{Base: l.index[1], Index: l.index[1], Scale: 1}, l.index[2])
	}
}

// pass emits one walk over the elements with body as the work on one vector.
func (l *loop) pass(body func(v lanes)) {
	l.passes++
	label := func(s string) string { return fmt.Sprintf("%s%d", s, l.passes) }
	l.rewind()
	n, step := pointer("n"), 8
	if wide {
		step = 16
	}
	SUBQ(u8(step), n)
	JL(LabelRef(label("tail")))
	Label(label("body"))
	body(lanes{loop: l})
	for _, i := range l.index {
		ADDQ(u8(4*step), i)
	}
	SUBQ(u8(step), n)
	JGE(LabelRef(label("body")))
	Label(label("tail"))
	ADDQ(u8(step), n)
	JZ(LabelRef(label("end")))
	if wide {
		l.wide = wideMask(n)
	} else {
		l.mask = YMM()
		laneMask(n, []int{0}, l.mask)
	}
	body(lanes{loop: l, masked: true})
	Label(label("end"))
}

// run emits a single pass and the end of the function.
func (l *loop) run(body func(v lanes)) {
	l.pass(body)
	end()
}

// end returns from a function.
func end() {
	VZEROUPPER()
	RET()
}

func (v lanes) at(s stream) Mem {
	return Mem{Base: v.loop.base[s.param], Index: v.loop.index[s.third], Scale: 1}
}

// load reads a vector; lanes beyond the end are zero.
func (v lanes) load(param string) VecVirtual { return v.loadFrom(stream{param: param}) }

func (v lanes) loadFrom(s stream) VecVirtual {
	y := vec()
	switch {
	case !v.masked:
		VMOVUPS(v.at(s), y)
	case wide:
		VMOVUPS_Z(v.at(s), v.loop.wide, y)
	default:
		VMASKMOVPS(v.at(s), v.loop.mask, y)
	}
	return y
}

// store writes a vector; lanes beyond the end are left alone.
func (v lanes) store(y VecVirtual, param string) { v.storeTo(y, stream{param: param}) }

func (v lanes) storeTo(y VecVirtual, s stream) {
	switch {
	case !v.masked:
		VMOVUPS(y, v.at(s))
	case wide:
		VMOVUPS(y, v.loop.wide, v.at(s))
	default:
		VMASKMOVPS(y, v.loop.mask, v.at(s))
	}
}

// keep zeroes the lanes beyond the end, for sums over y.
func (v lanes) keep(y VecVirtual) {
	if v.masked {
		VANDPS(v.loop.mask, y, y)
	}
}

// eachRow repeats body, which walks over n elements of a row, for the rows of
// dense matrices. Pointers in thirds are those of gate matrices, whose rows have
// 3*n elements.
func (l *loop) eachRow(thirds string, body func()) {
	Label("row")
	body()
	bytes, gates := GP64(), strings.Fields(thirds)
	MOVQ(param("n"), bytes)
	SHLQ(U8(2), bytes)
	for _, p := range slices.Sorted(maps.Keys(l.base)) {
		ADDQ(bytes, l.base[p])
		if slices.Contains(gates, p) {
			ADDQ(bytes, l.base[p])
			ADDQ(bytes, l.base[p])
		}
	}
	DECQ(param("rows"))
	JNZ(LabelRef("row"))
	end()
}

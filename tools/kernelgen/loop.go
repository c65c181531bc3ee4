package main

import (
	"fmt"
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

// loop walks over n elements, eight at a time and the rest masked.
type loop struct {
	base   map[string]Register
	index  []Register // byte offsets of the thirds
	mask   VecVirtual
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
	n := pointer("n")
	SUBQ(U8(8), n)
	JL(LabelRef(label("tail")))
	Label(label("body"))
	body(lanes{loop: l})
	for _, i := range l.index {
		ADDQ(U8(32), i)
	}
	SUBQ(U8(8), n)
	JGE(LabelRef(label("body")))
	Label(label("tail"))
	ADDQ(U8(8), n)
	JZ(LabelRef(label("end")))
	l.mask = YMM()
	laneMask(n, []int{0}, l.mask)
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
	y := YMM()
	if v.masked {
		VMASKMOVPS(v.at(s), v.loop.mask, y)
	} else {
		VMOVUPS(v.at(s), y)
	}
	return y
}

// store writes a vector; lanes beyond the end are left alone.
func (v lanes) store(y VecVirtual, param string) { v.storeTo(y, stream{param: param}) }

func (v lanes) storeTo(y VecVirtual, s stream) {
	if v.masked {
		VMASKMOVPS(y, v.loop.mask, v.at(s))
	} else {
		VMOVUPS(y, v.at(s))
	}
}

// keep zeroes the lanes beyond the end, for sums over y.
func (v lanes) keep(y VecVirtual) {
	if v.masked {
		VANDPS(v.loop.mask, y, y)
	}
}

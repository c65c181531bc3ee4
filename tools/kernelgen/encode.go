package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"regexp"
	"strconv"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// encoding is an instruction on three 512-bit registers that neither avo nor Go's
// assembler knows: EVEX, opcode map 0F38, W0.
type encoding struct{ prefix, opcode byte }

// encodings are those of AVX512_BF16. The prefix is the field pp: 2 for F3, 3 for
// F2. Their operands are in Go's order: second source, first source, destination.
var encodings = map[string]encoding{
	"VDPBF16PS":      {2, 0x52},
	"VCVTNE2PS2BF16": {3, 0x72},
}

// dotBF16 adds the products of the pairs in x and y to dst.
func dotBF16(y, x, dst VecVirtual) {
	Instruction(&ir.Instruction{Opcode: "VDPBF16PS", ISA: []string{"AVX512_BF16"},
		Operands: []operand.Op{y, x, dst}, Inputs: []operand.Op{y, x, dst}, Outputs: []operand.Op{dst}})
}

// roundBF16 sets the lower half of dst to the rounded lo, the upper half to hi.
func roundBF16(lo, hi, dst VecVirtual) {
	Instruction(&ir.Instruction{Opcode: "VCVTNE2PS2BF16", ISA: []string{"AVX512_BF16"},
		Operands: []operand.Op{lo, hi, dst}, Inputs: []operand.Op{lo, hi}, Outputs: []operand.Op{dst}})
}

// bytes encodes an instruction on the registers with these numbers, in Go's
// order of operands. EVEX stores the register numbers' upper bits inverted.
func (e encoding) bytes(second, first, dst byte) [6]byte {
	inverted := func(number, bit byte) byte { return ^number >> bit & 1 }
	return [6]byte{
		0x62,
		inverted(dst, 3)<<7 | inverted(second, 4)<<6 | inverted(second, 3)<<5 | inverted(dst, 4)<<4 | 2,
		^first&0xf<<3 | 1<<2 | e.prefix,
		2<<5 | inverted(first, 4)<<3,
		e.opcode,
		0xc0 | dst&7<<3 | second&7,
	}
}

var unknown = regexp.MustCompile(`^\t(V\w+) +Z(\d+), Z(\d+), Z(\d+)$`)

// encode replaces the lines with instructions of encodings by their bytes and
// keeps the instruction as a comment.
func encode(asm string) string {
	lines := strings.Split(asm, "\n")
	for i, line := range lines {
		m := unknown.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		e, ok := encodings[m[1]]
		if !ok {
			continue
		}
		var r [3]byte
		for j := range r {
			n, err := strconv.ParseUint(m[2+j], 10, 5)
			if err != nil {
				log.Fatalf("kernelgen: line %d: %v", i+1, err)
			}
			r[j] = byte(n)
		}
		var text []string
		for _, b := range e.bytes(r[0], r[1], r[2]) {
			text = append(text, fmt.Sprintf("BYTE $0x%02x", b))
		}
		lines[i] = fmt.Sprintf("\t%s // %s Z%s, Z%s, Z%s", strings.Join(text, "; "), m[1], m[2], m[3], m[4])
	}
	return strings.Join(lines, "\n")
}

// encodeOutput encodes the file that the flag -out names.
func encodeOutput() {
	name := flag.Lookup("out").Value.String()
	data, err := os.ReadFile(name)
	if err == nil {
		err = os.WriteFile(name, []byte(encode(string(data))), 0o644) //nolint:forbidigo // generated code, not a result of a run
	}
	if err != nil {
		log.Fatalf("kernelgen: -out must be a file: %v", err)
	}
}

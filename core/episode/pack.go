package episode

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// The stores keep episodes packed, without loss. Every array is a matrix with a
// row a record (the rewards are a single row). Of a row they keep what differs from
// the row before it. The first row is compared with zeros. Each 32 columns give a
// word with a bit set for every column that differs. The exclusive or of the old
// and the new bits of these columns follows. What an agent does not see is zero,
// and much of the rest stands still. So a battle of 13 against 13 takes a fifth of
// its floats.

// appendRows packs a matrix.
func appendRows(dst, src []uint32, width int) []uint32 {
	if len(src) == 0 {
		return dst
	}
	dst = slices.Grow(dst, len(src)+len(src)/width*chunks(width))
	var none [32]uint32
	for first := 0; first < len(src); first += width {
		for c := 0; c < width; c += 32 {
			part := src[first+c : first+min(c+32, width)]
			old := none[:len(part)]
			if first > 0 {
				old = src[first-width+c : first-width+c+len(part)]
			}
			at, mask := len(dst), uint32(0)
			out := dst[at+1 : at+1+len(part)]
			n := 0
			for i, x := range part {
				x ^= old[i]
				differs := (x | -x) >> 31
				out[n] = x // overwritten by the next word if nothing differs
				mask |= differs << i
				n += int(differs)
			}
			dst = dst[:at+1+n]
			dst[at] = mask
		}
	}
	return dst
}

// chunks is the number of words with a bit a column.
func chunks(width int) int { return (width + 31) / 32 }

// openRows fills a matrix from what appendRows made and returns what follows.
func openRows(dst, src []uint32, width int) []uint32 {
	var before []uint32
	for ; len(dst) > 0; dst = dst[width:] {
		row := dst[:width]
		if before == nil {
			clear(row)
		} else {
			copy(row, before)
		}
		for c := 0; c < width; c += 32 {
			mask := src[0]
			next := src[1:]
			for ; mask != 0; mask &= mask - 1 {
				row[c+bits.TrailingZeros32(mask)] ^= next[0]
				next = next[1:]
			}
			src = next
		}
		before = row
	}
	return src
}

// skipRows returns what follows a packed matrix, nil if it is none.
func skipRows(src []uint32, rows, width int) []uint32 {
	if width == 0 {
		return src
	}
	for range rows {
		for c := 0; c < width; c += 32 {
			if len(src) == 0 || width-c < 32 && src[0]>>(width-c) != 0 || len(src) <= bits.OnesCount32(src[0]) {
				return nil
			}
			src = src[1+bits.OnesCount32(src[0]):]
		}
	}
	return src
}

// packer turns episodes into words and back, in memory that it keeps.
type packer struct {
	words []uint32 // of an episode
	bytes []uint32 // of Avail, four to a word, each record in words of its own
}

// pack returns the arrays of e, packed. The words are valid until the next call.
func (p *packer) pack(e *Episode) []uint32 {
	w := appendRows(p.words[:0], bitsOf(e.Obs[:(e.T+1)*e.N*e.ObsWidth]), e.N*e.ObsWidth)
	w = appendRows(w, bitsOf(e.State[:(e.T+1)*e.StateWidth]), e.StateWidth)
	p.words = w
	n := e.N * e.A
	p.bytes = resized(p.bytes, (e.T+1)*wordsOf(n))
	for t := range e.T + 1 {
		toWords(p.bytes[t*wordsOf(n):(t+1)*wordsOf(n)], e.Avail[t*n:(t+1)*n])
	}
	w = appendRows(w, p.bytes, wordsOf(n))
	w = appendRows(w, bitsOf(e.Actions[:e.T*e.N]), e.N)
	p.words = appendRows(w, bitsOf(e.Reward[:e.T]), e.T)
	return p.words
}

// unpack fills the arrays of e, whose scalars tell their shapes.
func (p *packer) unpack(e *Episode, w []uint32) {
	e.Obs, e.State = resized(e.Obs, (e.T+1)*e.N*e.ObsWidth), resized(e.State, (e.T+1)*e.StateWidth)
	e.Avail, e.Actions, e.Reward = resized(e.Avail, (e.T+1)*e.N*e.A), resized(e.Actions, e.T*e.N), resized(e.Reward, e.T)
	w = openRows(bitsOf(e.Obs), w, e.N*e.ObsWidth)
	w = openRows(bitsOf(e.State), w, e.StateWidth)
	n := e.N * e.A
	p.bytes = resized(p.bytes, (e.T+1)*wordsOf(n))
	w = openRows(p.bytes, w, wordsOf(n))
	for t := range e.T + 1 {
		fromWords(e.Avail[t*n:(t+1)*n], p.bytes[t*wordsOf(n):(t+1)*wordsOf(n)])
	}
	w = openRows(bitsOf(e.Actions), w, e.N)
	openRows(bitsOf(e.Reward), w, e.T)
}

// checkPacked says whether words can be unpacked into an episode with the
// scalars of e and are no more than that takes.
func checkPacked(e *Episode, w []uint32) error {
	const most = 1 << 28
	if min(e.T, e.N, e.A) < 1 || min(e.ObsWidth, e.StateWidth) < 0 || max(e.T, e.N, e.A, e.ObsWidth, e.StateWidth) > most {
		return e.noShapes()
	}
	rest := w
	for _, m := range [][2]int{
		{e.T + 1, e.N * e.ObsWidth}, {e.T + 1, e.StateWidth}, {e.T + 1, wordsOf(e.N * e.A)}, {e.T, e.N}, {1, e.T},
	} {
		// Every 32 columns take a word, so that shapes are bounded by the words.
		if m[1] > 0 && m[0] > len(rest)/chunks(m[1]) {
			rest = nil
			break
		}
		if rest = skipRows(rest, m[0], m[1]); rest == nil {
			break
		}
	}
	if rest == nil || len(rest) > 0 {
		return fmt.Errorf("episode %d with T %d, N %d, A %d, observations of %d, states of %d: %d words do not hold that",
			e.Index, e.T, e.N, e.A, e.ObsWidth, e.StateWidth, len(w))
	}
	return nil
}

func bitsOf[E float32 | int32](x []E) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

// wordsOf is the number of words that hold n bytes.
func wordsOf(n int) int { return (n + 3) / 4 }

func toWords(dst []uint32, src []uint8) {
	for i := range dst {
		if len(src) >= 4 {
			dst[i], src = binary.LittleEndian.Uint32(src), src[4:]
			continue
		}
		dst[i] = 0
		for k, b := range src {
			dst[i] |= uint32(b) << (8 * k)
		}
	}
}

func fromWords(dst []uint8, src []uint32) {
	for _, w := range src {
		if len(dst) >= 4 {
			binary.LittleEndian.PutUint32(dst, w)
			dst = dst[4:]
			continue
		}
		for k := range dst {
			dst[k] = uint8(w >> (8 * k))
		}
	}
}

// resized is x with n elements, of any value; it allocates only to grow.
func resized[E any](x []E, n int) []E {
	if cap(x) < n {
		return make([]E, n)
	}
	return x[:n]
}

package remote

import (
	"slices"

	"macpro/core"
)

// able gives the method the optional abilities that the other side has.
func (m *method) able(abilities []string) core.Method {
	h, c, e := headMapper{m}, contextCounter{m}, evalModer{m}
	has := func(ability string) bool { return slices.Contains(abilities, ability) }
	switch [3]bool{has(abilityTaskHeads), has(abilityContextSteps), has(abilityEvalModes)} {
	case [3]bool{true, true, true}:
		return struct {
			*method
			headMapper
			contextCounter
			evalModer
		}{m, h, c, e}
	case [3]bool{true, true, false}:
		return struct {
			*method
			headMapper
			contextCounter
		}{m, h, c}
	case [3]bool{true, false, true}:
		return struct {
			*method
			headMapper
			evalModer
		}{m, h, e}
	case [3]bool{true, false, false}:
		return struct {
			*method
			headMapper
		}{m, h}
	case [3]bool{false, true, true}:
		return struct {
			*method
			contextCounter
			evalModer
		}{m, c, e}
	case [3]bool{false, true, false}:
		return struct {
			*method
			contextCounter
		}{m, c}
	case [3]bool{false, false, true}:
		return struct {
			*method
			evalModer
		}{m, e}
	}
	return m
}

// The optional abilities of core.HeadMapper, core.ContextCounter and
// core.EvalModer.
type (
	headMapper     struct{ m *method }
	contextCounter struct{ m *method }
	evalModer      struct{ m *method }
)

func (h headMapper) TaskHeads() []int        { return slices.Clone(h.m.heads) }
func (c contextCounter) ContextSteps() int64 { return c.m.context }
func (e evalModer) EvalModes() []string      { return slices.Clone(e.m.evalModes) }

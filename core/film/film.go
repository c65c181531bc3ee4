// Package film turns the scenes of played episodes into pictures.
//
//	core.Painter ─▶ core.Scene ─▶ Frame ─Reel─▶ animated GIF, PNG or SVG, text
//
// An environment says what things are, this package how they look: the same on
// all environments, in colours that readers with any kind of colour vision can
// tell apart, and with shapes that differ where colours do. Agents are filled with
// the colour of the head that acts for them, opponents are white with a dark edge,
// goals are yellow squares.
package film

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"macpro/core"
)

// Frame is one state of an episode.
type Frame struct {
	Scene core.Scene
	// Title says what is shown, Caption how far it has come; a line each.
	Title, Caption string
	// Heads [agents] are those that act; nil is the live head for all.
	Heads []int32
	// Actions [agents] are the last ones, nil at the start of an episode.
	Actions []int32
	Last    bool // of its episode
}

// Reel is a sequence of frames, episode after episode. Its zero value is empty.
type Reel struct {
	Frames []Frame
	// Rate is the number of frames a second.
	Rate float64
	from int // of the episode that is being added
}

// MaxFrames bounds a reel.
const MaxFrames = 20000

// Add appends a frame. All frames of an episode show the same part of the world:
// what is needed to see everything in each of them.
func (r *Reel) Add(f Frame) error {
	if len(r.Frames) == MaxFrames {
		return fmt.Errorf("more than %d pictures: choose fewer tasks, modes or episodes", MaxFrames)
	}
	r.Frames = append(r.Frames, f)
	if !f.Last {
		return nil
	}
	episode := r.Frames[r.from:]
	view := episode[0].Scene
	for _, g := range episode {
		s := g.Scene
		view.Left, view.Bottom = min(view.Left, s.Left), min(view.Bottom, s.Bottom)
		view.Right, view.Top = max(view.Right, s.Right), max(view.Top, s.Top)
	}
	for i := range episode {
		s := &episode[i].Scene
		s.Left, s.Bottom, s.Right, s.Top = view.Left, view.Bottom, view.Right, view.Top
	}
	r.crop(episode)
	r.from = len(r.Frames)
	return nil
}

// crop leaves out what is empty in all pictures of an episode, but for boards.
func (r *Reel) crop(episode []Frame) {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, f := range episode {
		for _, t := range f.Scene.Things {
			if t.Role == core.Obstacle && !t.Round {
				continue // walls are cut at the edge
			}
			half := [2]float64{t.HalfX, t.HalfY}
			if t.Round {
				half[1] = t.HalfX
			}
			for k, x := range [2]float64{t.X, t.Y} {
				low[k], high[k] = min(low[k], x-half[k]), max(high[k], x+half[k])
			}
		}
	}
	if episode[0].Scene.Board || low[0] >= high[0] || low[1] >= high[1] {
		return
	}
	around := 0.08 * max(high[0]-low[0], high[1]-low[1])
	for i := range episode {
		s := &episode[i].Scene
		s.Left, s.Right = max(s.Left, low[0]-around), min(s.Right, high[0]+around)
		s.Bottom, s.Top = max(s.Bottom, low[1]-around), min(s.Top, high[1]+around)
	}
}

// ActionsText names the last actions of all agents in one line, "" at the start of
// an episode.
func (f *Frame) ActionsText() string {
	words := make([]string, len(f.Actions))
	for i, a := range f.Actions {
		words[i] = fmt.Sprintf("%d: %d", i, a)
		if int(a) < len(f.Scene.Actions) {
			words[i] = fmt.Sprintf("%d: %s", i, f.Scene.Actions[a])
		}
	}
	return strings.Join(words, ", ")
}

func (r *Reel) headed() bool {
	return slices.ContainsFunc(r.Frames, func(f Frame) bool { return f.Heads != nil })
}

// HeadsText names the heads of all agents in one line.
func HeadsText(heads []int32) string {
	if heads == nil {
		return "live head"
	}
	words := make([]string, len(heads))
	for i, h := range heads {
		words[i] = headText(h)
	}
	return "heads " + strings.Join(words, " ")
}

func headText(h int32) string {
	if h == core.LiveHead {
		return "live"
	}
	return fmt.Sprint(h)
}

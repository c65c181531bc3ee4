package film

import (
	"bytes"
	"testing"

	"macpro/core"
)

// A picture says what its signs mean, which agent is which and what each did; what
// is empty in a whole episode is cut away, but for boards.
func TestPicturesExplainThemselves(t *testing.T) {
	for _, board := range []bool{false, true} {
		r := &Reel{Rate: 1}
		s := core.Scene{Left: -10, Bottom: -10, Right: 10, Top: 10, Board: board, Actions: []string{"stay"},
			Words: [4]string{core.Foe: "prey"}, Things: []core.Thing{
				{Role: core.Foe, Round: true, X: 1, Y: 1, HalfX: 0.5},
				{Role: core.Mate, Agent: 0, Round: true, HalfX: 0.5, Label: "0"},
				{Role: core.Mate, Agent: 1, Round: true, X: 2, HalfX: 0.5},
			}}
		if err := r.Add(Frame{Scene: s, Actions: []int32{0, 7}, Last: true}); err != nil {
			t.Fatal(err)
		}
		want := core.Scene{Left: -0.74, Right: 2.74, Bottom: -0.74, Top: 1.74}
		if board {
			want = s
		}
		got := r.Frames[0].Scene
		for k, d := range []float64{got.Left - want.Left, got.Right - want.Right, got.Bottom - want.Bottom, got.Top - want.Top} {
			if d*d > 1e-12 {
				t.Errorf("board %v: edge %d is off by %v", board, k, d)
			}
		}
		if text := r.Frames[0].ActionsText(); text != "0: stay, 1: 7" {
			t.Errorf("actions %q", text)
		}
		files, err := r.Encode("svg")
		if err != nil {
			t.Fatal(err)
		}
		for _, words := range []string{">prey<", ">agent with its number<", ">actions 0: stay, 1: 7<", ">0<", ">1<"} {
			if !bytes.Contains(files[0], []byte(words)) {
				t.Errorf("board %v: the picture lacks %s", board, words)
			}
		}
		// A level that equals the number is followed by the number; the legend has one more.
		if n := bytes.Count(files[0], []byte(">0<")); n != 3 {
			t.Errorf("board %v: agent 0 with label 0 is lettered %d times with the legend, want 3", board, n)
		}
	}
}

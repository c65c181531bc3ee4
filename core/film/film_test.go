package film

import (
	"bytes"
	"image/color"
	"image/gif"
	"image/png"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/palette"
)

// boardReel is an episode of two states on a board of 3 x 2 cells.
func boardReel(t *testing.T) *Reel {
	t.Helper()
	r := &Reel{Rate: 5}
	for i := range 2 {
		s := core.Scene{Right: 3, Top: 2, Board: true, Things: []core.Thing{
			{Role: core.Goal, X: 2.5, Y: 1.5, HalfX: 0.4, HalfY: 0.4, Label: "5"},
			{Role: core.Mate, Agent: 1, Round: true, X: 0.5 + float64(i), Y: 0.5, HalfX: 0.4, HalfY: 0.4, Label: "2"},
			{Role: core.Foe, Round: true, X: 2.5, Y: 0.5, HalfX: 0.4, HalfY: 0.4},
			{Role: core.Obstacle, X: 1.5, Y: 1.5, HalfX: 0.5, HalfY: 0.5},
		}}
		f := Frame{Scene: s, Title: "toy left", Caption: "step", Heads: []int32{core.LiveHead, 1}, Last: i == 1}
		if err := r.Add(f); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func TestBoardsAsText(t *testing.T) {
	var b strings.Builder
	if err := boardReel(t).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	want := `toy left
step, heads live 1
+-------------+
|  .  ### [5] |
|  .  b2  <>  |
+-------------+
`
	if !strings.HasSuffix(b.String(), want+"\n") {
		t.Errorf("got\n%s\nwant at its end\n%s", b.String(), want)
	}
	r := &Reel{}
	if err := r.Add(Frame{Title: "plane"}); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteText(&b); err == nil || !strings.Contains(err.Error(), "not a board") {
		t.Errorf("a plane as text: %v", err)
	}
}

// Pixels have the colours of what is there; a GIF shows all states, the last one
// longer, and repeats only what changes.
func TestPictures(t *testing.T) {
	r := boardReel(t)
	files, err := r.Encode("png")
	if err != nil || len(files) != 2 {
		t.Fatal(len(files), err)
	}
	m, err := png.Decode(bytes.NewReader(files[0]))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.Color]int{}
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			count[color.NRGBAModel.Convert(m.At(x, y))]++
		}
	}
	for _, c := range []color.NRGBA{palette.Yellow, palette.Wheel(1), palette.Silver, palette.White} {
		if count[c] < 1000 {
			t.Errorf("only %d pixels of color %v", count[c], c)
		}
	}
	files, err = r.Encode("gif")
	if err != nil || len(files) != 1 {
		t.Fatal(len(files), err)
	}
	g, err := gif.DecodeAll(bytes.NewReader(files[0]))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Image) != 2 || g.Delay[0] != 20 || g.Delay[1] != 150 || g.Config.Width != b.Dx() || g.Config.Height != b.Dy() {
		t.Errorf("%d images, delays %v, size %dx%d", len(g.Image), g.Delay, g.Config.Width, g.Config.Height)
	}
	if part := g.Image[1].Rect; part.Dx() > b.Dx()*3/4 || part.Dy() > b.Dy()*3/4 {
		t.Errorf("the second image repeats %v of %v", part, b)
	}
	files, err = r.Encode("svg")
	if err != nil || len(files) != 2 || !bytes.Contains(files[1], []byte("toy left")) {
		t.Errorf("svg: %d files, %v", len(files), err)
	}
	if _, err := r.Encode("gfi"); err == nil || !strings.Contains(err.Error(), `did you mean "gif"`) {
		t.Errorf("unknown format: %v", err)
	}
	if _, err := new(Reel).Encode("gif"); err == nil {
		t.Error("an empty reel was drawn")
	}
}

// All states of an episode show the same part of the world; the next episode has
// its own.
func TestOneViewAnEpisode(t *testing.T) {
	var r Reel
	for i, x := range []float64{1, 5, 2} {
		if err := r.Add(Frame{Scene: core.Scene{Right: x, Top: 1}, Last: i > 0}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []float64{5, 5, 2} {
		if got := r.Frames[i].Scene.Right; got != want {
			t.Errorf("frame %d reaches to %v, want %v", i, got, want)
		}
	}
}

// Health and shield are rings whose green and blue parts are as long as what is
// left; the fallen have none.
func TestRings(t *testing.T) {
	colored := func(th core.Thing) (green, sky int) {
		th.Role, th.Round, th.X, th.Y, th.HalfX = core.Foe, true, 1, 1, 0.9
		r := &Reel{Rate: 1}
		if err := r.Add(Frame{Scene: core.Scene{Right: 2, Top: 2, Things: []core.Thing{th}}, Last: true}); err != nil {
			t.Fatal(err)
		}
		files, err := r.Encode("png")
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(bytes.NewReader(files[0]))
		if err != nil {
			t.Fatal(err)
		}
		b := m.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				switch color.NRGBAModel.Convert(m.At(x, y)) {
				case palette.Green:
					green++
				case palette.Sky:
					sky++
				}
			}
		}
		return green, sky
	}
	_, shield := colored(core.Thing{Living: true, Health: 1, Shield: 1})
	full, _ := colored(core.Thing{Living: true, Health: 1})
	half, none := colored(core.Thing{Living: true, Health: 0.5})
	gone, _ := colored(core.Thing{Gone: true})
	if full == 0 || shield == 0 || none != 0 || gone != 0 || half*10 < full*4 || half*10 > full*7 {
		t.Errorf("green: %d full, %d half, %d gone; blue: %d and %d", full, half, gone, shield, none)
	}
}

func BenchmarkGIF(b *testing.B) {
	r := &Reel{Rate: 5}
	for i := range 20 {
		s := core.Scene{Right: 5, Top: 5, Board: true, Things: []core.Thing{{Role: core.Mate, Round: true, X: float64(i%5) + 0.5, Y: 2.5, HalfX: 0.4}}}
		if err := r.Add(Frame{Scene: s, Title: "toy", Last: i == 19}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := r.Encode("gif"); err != nil {
			b.Fatal(err)
		}
	}
}

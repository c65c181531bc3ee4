package api

import (
	"bytes"
	"encoding/hex"
	"os"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// golden reads messages that Blizzard's own message definitions and Google's
// compiler for them (protoc --encode) produced: a name and the bytes in each line.
func golden(t testing.TB, file string) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]byte{}
	for line := range strings.Lines(string(text)) {
		name, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		if out[name], err = hex.DecodeString(digits); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

const far = 1<<40 + 7 // a tag beyond 32 bits

var requests = map[string]Request{
	"create_game": {ID: 1, CreateGame: &CreateGame{
		Map:        &LocalMap{Path: "SMAC_Maps/3m.SC2Map", Data: []byte("MPQ\x1b\x00\xff")},
		Players:    []PlayerSetup{{Type: Participant}, {Type: Computer, Race: Terran, Difficulty: VeryHard}},
		RandomSeed: 4294967295,
	}},
	"join_game": {ID: 2, JoinGame: &JoinGame{Race: Protoss, Options: &InterfaceOptions{Raw: true}}},
	"quit":      {Quit: &Empty{}}, "game_info": {ID: 300, GameInfo: &Empty{}}, "observation": {Observation: &Empty{}},
	"save_replay": {SaveReplay: &Empty{}}, "ping": {Ping: &Empty{}}, "step": {ID: 5, Step: &Step{Count: 8}},
	"action": {Action: &Actions{Actions: []Action{
		{Raw: &ActionRaw{Command: &UnitCommand{Ability: Stop, Units: []uint64{far}}}},
		{Raw: &ActionRaw{Command: &UnitCommand{Ability: Move, TargetPos: &Point2D{Y: 15.25}, Units: []uint64{1, 1<<64 - 1}}}},
		{Raw: &ActionRaw{Command: &UnitCommand{Ability: Attack, TargetUnit: far + 1, Units: []uint64{3}}}},
	}}},
	"debug": {Debug: &DebugOrders{Orders: []DebugOrder{{Kill: &KillUnits{Tags: []uint64{far, 2}}}}}},
}

var responses = map[string]Response{
	"create_game": {ID: 1, Status: Launched, CreateGame: &Created{Error: 3, Details: "bad map"}},
	"join_game":   {Status: InGame, JoinGame: &Joined{Player: 1, Error: 6, Details: "x"}},
	"game_info": {Status: InGame, GameInfo: &GameInfo{MapName: "3m", Start: &StartRaw{
		MapSize:  &Size2D{32, 32},
		Pathing:  &ImageData{Bits: 1, Size: &Size2D{8, 2}, Data: []byte{0xff, 1}},
		Playable: &Rectangle{P0: &PointI{}, P1: &PointI{32, 31}},
	}}},
	"observation": {Status: Ended, Observation: &Observed{
		Observation: &Observation{Loop: 70000, Raw: &ObservationRaw{Units: []Unit{
			{Tag: far, Type: 1970, Owner: 1, Pos: &Point{9.5, 16.25, 10}, Radius: 0.375, Health: 45, HealthMax: 45,
				Shield: 12.5, Energy: 50, Cooldown: 7.5, ShieldMax: 80},
			{Tag: 2, Type: 48, Owner: 2, Pos: &Point{X: -1, Y: 3}},
		}}},
		Results: []PlayerResult{{Player: 1, Result: 1}},
	}},
	"action":      {Action: &ActionResult{Results: []int32{1, 2}}},
	"step":        {Step: &Stepped{Loop: 524287}},
	"save_replay": {SaveReplay: &Replay{Data: []byte{0, 1, 0xff}}},
	"ping": {ID: 9, Status: Launched,
		Ping: &Pong{GameVersion: "4.6.2.69232", DataVersion: "B3E1", DataBuild: 69232, BaseBuild: 69232}},
	"debug": {Debug: &Empty{}}, "quit": {Status: Exiting, Quit: &Empty{}},
	"error": {Status: Launched, Errors: []string{"Game is not in progress", "two"}},
}

func TestRequestsAreTheReferenceBytes(t *testing.T) {
	files := golden(t, "requests.txt")
	if len(files) != len(requests) {
		t.Fatalf("%d recordings, %d expectations", len(files), len(requests))
	}
	for name, want := range files {
		q := requests[name]
		if got := Marshal(&q); !bytes.Equal(got, want) {
			t.Errorf("%s: wrote %x, want %x", name, got, want)
		}
		var back Request
		if err := Unmarshal(want, &back); err != nil || !reflect.DeepEqual(back, q) {
			t.Errorf("%s: read %+v (%v), want %+v", name, back, err, q)
		}
		if back.Command() != name {
			t.Errorf("%s calls itself %q", name, back.Command())
		}
	}
}

// The recorded responses also hold fields that are none of ours.
func TestResponsesAreRead(t *testing.T) {
	files := golden(t, "responses.txt")
	if len(files) != len(responses) {
		t.Fatalf("%d recordings, %d expectations", len(files), len(responses))
	}
	for name, b := range files {
		want := responses[name]
		for _, bytes := range [][]byte{b, Marshal(&want)} {
			var got Response
			if err := Unmarshal(bytes, &got); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: read %+v (%v), want %+v", name, got, err, want)
			}
		}
		if q, ok := requests[name]; ok != want.Answers(&q) {
			t.Errorf("%s: answers its request: %v", name, !ok)
		}
	}
}

func TestPackedAndUnpackedListsAreAlike(t *testing.T) {
	packed := protowire.AppendTag(nil, 1, protowire.BytesType)
	packed = protowire.AppendBytes(packed, []byte{1, 2, 0x96, 0x01})
	var got ActionResult
	if err := Unmarshal(packed, &got); err != nil || !reflect.DeepEqual(got.Results, []int32{1, 2, 150}) {
		t.Errorf("%v, %v", got.Results, err)
	}
}

func TestNegativeNumbers(t *testing.T) {
	u := Unit{Owner: -1, Pos: &Point{X: -0.5}}
	var got Unit
	if err := Unmarshal(Marshal(&u), &got); err != nil || !reflect.DeepEqual(got, u) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestBrokenBytesAreErrors(t *testing.T) {
	whole := golden(t, "responses.txt")["observation"]
	refused := 0
	for n := range whole {
		var got Response
		if Unmarshal(whole[:n], &got) != nil {
			refused++
		}
	}
	if refused < len(whole)-5 {
		t.Errorf("only %d of %d beginnings of a message were refused", refused, len(whole))
	}
	var got Response
	err := Unmarshal(protowire.AppendVarint(protowire.AppendTag(nil, 12, protowire.VarintType), 1), &got)
	if err == nil || err.Error() != "Response.Step: wire type 0, want 2" {
		t.Errorf("a number for a message: %v", err)
	}
}

func FuzzUnmarshal(f *testing.F) {
	for _, b := range golden(f, "responses.txt") {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var m, again Response
		if Unmarshal(b, &m) != nil {
			return
		}
		if err := Unmarshal(Marshal(&m), &again); err != nil {
			t.Errorf("what was read from %x and written anew is refused: %v", b, err)
		}
	})
}

func BenchmarkObservation(b *testing.B) {
	r := Response{Observation: &Observed{Observation: &Observation{Raw: &ObservationRaw{Units: make([]Unit, 26)}}}}
	for i := range r.Observation.Observation.Raw.Units {
		r.Observation.Observation.Raw.Units[i] = responses["observation"].Observation.Observation.Raw.Units[0]
	}
	bytes := Marshal(&r)
	b.SetBytes(int64(len(bytes)))
	for b.Loop() {
		var got Response
		if err := Unmarshal(bytes, &got); err != nil {
			b.Fatal(err)
		}
	}
}

package wire

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"macpro/core"
	"macpro/core/episode"
)

// over sends a message through its encoding.
func over[M proto.Message](t *testing.T, m, into M) M {
	t.Helper()
	b, err := proto.Marshal(m)
	if err == nil {
		err = proto.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatal(err)
	}
	return into
}

func TestSettings(t *testing.T) {
	want := core.Settings{"a": true, "b": -1 << 40, "c": math.Pi, "d": "é", "e": []string{}, "f": []string{"x"}, "g": []int{1, -2}, "h": []int{}}
	m, err := FromSettings(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ToSettings(over(t, m, &Settings{})); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%#v came back as %#v, %v", want, got, err)
	}
	if _, err := FromSettings(core.Settings{"key": int64(1)}); err == nil || !strings.Contains(err.Error(), `"key"`) {
		t.Errorf("an int64: %v", err)
	}
}

// A journal row has the same text on both sides.
func TestRows(t *testing.T) {
	type point struct {
		Task string  `json:"task"`
		Mu   float64 `json:"mu"`
		N    int     `json:"n"`
	}
	row := map[string]any{
		"f32": float32(0.1), "f64": 0.1, "whole": 3.0, "int": int32(-3), "big": uint64(math.MaxUint64), "none": nil, "list": []int32{1, 2},
		"nested": map[string]any{"x": []float64{1, 1e300}}, "points": []point{{"a", 0.5, 2}}, "text": "s",
	}
	v, err := FromAny(row)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(row)
	got, err := json.Marshal(ToMap(over(t, v, &Value{}).GetTable()))
	if err != nil || string(got) != string(want) {
		t.Errorf("%s came back as %s, %v", want, got, err)
	}
	if x := ToAny(over(t, &Value{Kind: &Value_Number{math.NaN()}}, &Value{})); !math.IsNaN(x.(float64)) {
		t.Errorf("NaN came back as %v", x)
	}
	if _, err := FromAny(map[string]any{"f": func() {}}); err == nil || !strings.Contains(err.Error(), "f: ") {
		t.Errorf("a function: %v", err)
	}
}

func TestTensors(t *testing.T) {
	want := []float32{0, float32(math.Copysign(0, -1)), 1.5, float32(math.Inf(1)), math.Float32frombits(0x7fc00001)}
	b := Bytes(want)
	if b[8] != 0 || b[11] != 0x3f {
		t.Errorf("1.5 is % x, want little-endian", b[8:12])
	}
	got, err := Numbers[float32]("x", b)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Errorf("number %d: %x came back as %x", i, want[i], got[i])
		}
	}
	if i := NotFinite(b); i != 3 {
		t.Errorf("the first number that is not finite is %d, want 3", i)
	}
	if i := NotFinite(b[:12]); i != -1 {
		t.Errorf("finite numbers: %d", i)
	}
	for _, err := range []error{Fill("obs", got, b[:19]), Fill("obs", got[:4], b)} {
		if err == nil || !strings.Contains(err.Error(), "obs") {
			t.Errorf("another length: %v", err)
		}
	}
	if s := swapped([]byte{1, 2, 3, 4}); s[0] != 4 || s[3] != 1 {
		t.Errorf("swapped bytes are %v", s)
	}
}

func TestEpisodes(t *testing.T) {
	want := &episode.Episode{
		Task: -1, Head: 2, Index: 9, Seed: 1 << 63, T: 1, N: 1, A: 2, ObsWidth: 1, StateWidth: 1,
		Obs: []float32{1, 2}, State: []float32{3, 4}, Avail: []uint8{1, 0, 1, 1}, Actions: []int32{0}, Reward: []float32{5}, Terminated: true, Won: true,
	}
	m := over(t, FromEpisode(want), &Episode{})
	if got, err := ToEpisode(m); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v came back as %+v, %v", want, got, err)
	}
	m.Obs = m.Obs[:4]
	if _, err := ToEpisode(m); err == nil {
		t.Error("an episode with too few observations was accepted")
	}
}

func TestKeys(t *testing.T) {
	lo, hi := 1.0, 2.0
	f := core.Field{Key: "k", Kind: core.Int, Help: "h", Min: &lo, Max: &hi, Enum: []string{"a"}, Neutral: "1", Only: "flat a=b"}
	got := ToInfo(over(t, FromInfo(core.Info{Schema: []core.Field{f}}), &Description{})).Schema
	if !reflect.DeepEqual(got, []core.Field{f}) {
		t.Errorf("got %+v, want %+v", got, f)
	}
	of := reflect.ValueOf(f)
	for i := range of.NumField() {
		if name := of.Type().Field(i).Name; of.Field(i).IsZero() && name != "Below" { // of keys of all runs
			t.Errorf("the field %s has no value here", name)
		}
	}
}

func TestTasks(t *testing.T) {
	want := core.TaskList{
		Sequences: map[string][]string{"train": {"a", "b"}}, Generalization: []string{"c"},
		Absent: map[string]string{"drawn": "set env_args.count"},
		Params: map[string][]core.Param{"a": {{Name: "n", Value: "1"}}, "b": {}, "c": {}},
	}
	if got := ToTasks(over(t, FromTasks(want), &TaskList{})); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v came back as %+v", want, got)
	}
}

func TestSpecs(t *testing.T) {
	want := core.EnvSpec{
		Env: "e", Task: "t", Agents: 2, Actions: 9, ObsWidth: 3, StateWidth: 4, Limit: 5, Score: core.ScoreWinRate, MaxReturn: 20, Hash: "h",
		Entities: &core.Entities{NonAttack: 6, Move: 1, OwnObs: 2, Enemies: 3, EnemyObs: 4, AllyObs: 5, EnemyState: 6, AllyState: 7},
	}
	if got := ToSpec(over(t, FromSpec(want), &Spec{})); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v came back as %+v", want, got)
	}
}

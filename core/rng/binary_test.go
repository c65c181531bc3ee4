package rng

import "testing"

func TestSourceBinary(t *testing.T) {
	want := New(7).Child("test", "right").ChildInt(3)
	b, err := want.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var got Source
	if err := got.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if got != want || got.Child("x").Stream().Uint64() != want.Child("x").Stream().Uint64() {
		t.Errorf("%v came back as %v", want, got)
	}
	if err := got.UnmarshalBinary(b[:15]); err == nil {
		t.Error("15 bytes were taken for a source")
	}
}

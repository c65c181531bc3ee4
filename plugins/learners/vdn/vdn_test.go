package vdn

import (
	"testing"

	"macpro/core/qlearn/qlearntest"
)

func TestPlugin(t *testing.T) { qlearntest.Plugin(t, Plugin{}) }

func TestMixer(t *testing.T) { qlearntest.Mixer(t, Mixer) }

func TestQTotIsTheSum(t *testing.T) {
	b, err := qlearntest.NewBench(Mixer, qlearntest.Spec(3), 2)
	if err != nil {
		t.Fatal(err)
	}
	copy(b.Q, []float32{1, 2, 4, -1, 0.5, 0.25})
	copy(b.Weight, []float32{1, 3})
	if err := b.Run(); err != nil {
		t.Fatal(err)
	}
	if b.QTot[0] != 7 || b.QTot[1] != -0.25 {
		t.Errorf("Q_tot %v, want [7 -0.25]", b.QTot)
	}
	for i, g := range b.QGrad {
		if want := b.Weight[i/3]; g != want {
			t.Errorf("gradient of value %d is %v, want %v", i, g, want)
		}
	}
}

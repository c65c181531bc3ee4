package smac

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"macpro/core"
	"macpro/core/conform"
	"macpro/plugins/envs/internal/skirmish/family/familytest"
)

func defaults(t testing.TB) core.Settings {
	t.Helper()
	return conform.Defaults(t, Plugin.Info())
}

func TestConformance(t *testing.T) {
	for _, m := range []string{"3m", "MMM2", "bane_vs_bane"} {
		t.Run(m, func(t *testing.T) {
			s := defaults(t)
			s["env_args.map"] = m
			conform.Env(t, Plugin, s)
		})
	}
}

func TestMapIsTheSequence(t *testing.T) {
	s := defaults(t)
	s["env_args.map"] = "corridor"
	l, err := Plugin.Tasks(s)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.Sequences["train"], " "); got != "corridor" || len(l.Sequences["all"]) != 23 {
		t.Errorf("train is %s, all has %d maps", got, len(l.Sequences["all"]))
	}
	s["env_args.map"] = "corrider"
	if _, err := (Plugin).Tasks(s); err == nil || !strings.Contains(err.Error(), `did you mean "corridor"`) {
		t.Errorf("a slip in the map's name: %v", err)
	}
}

// The agents' numbers are long enough to tell those of every map apart.
func TestEveryAgentHasANumber(t *testing.T) {
	var file struct {
		Bits int `yaml:"id_length"`
	}
	if err := yaml.Unmarshal(Plugin.Info().Config, &file); err != nil {
		t.Fatal(err)
	}
	for _, name := range Plugin.Family.Names() {
		e, err := Plugin.Open(name, 1, defaults(t))
		if err != nil {
			t.Fatal(err)
		}
		if n := e.Spec().Agents; n > 1<<file.Bits-1 {
			t.Errorf("%s has %d agents, %d bits tell %d apart", name, n, file.Bits, 1<<file.Bits-1)
		}
	}
}

// Sizes of the maps as SMAC has them.
func TestSpecs(t *testing.T) {
	familytest.Specs(t, Plugin, nil, map[string]familytest.Sizes{
		"3m": {3, 3, 9, 30, 48, 60}, "8m": {8, 8, 14, 80, 168, 120}, "25m": {25, 25, 31, 250, 950, 150},
		"5m_vs_6m": {5, 6, 12, 55, 98, 70}, "8m_vs_9m": {8, 9, 15, 85, 179, 120}, "10m_vs_11m": {10, 11, 17, 105, 243, 150},
		"27m_vs_30m": {27, 30, 36, 285, 1170, 180}, "MMM": {10, 10, 16, 160, 290, 150}, "MMM2": {10, 12, 18, 176, 322, 180},
		"2s3z": {5, 5, 11, 80, 120, 120}, "3s5z": {8, 8, 14, 128, 216, 150}, "3s5z_vs_3s6z": {8, 9, 15, 136, 230, 170},
		"1c3s5z": {9, 9, 15, 162, 270, 180}, "3s_vs_3z": {3, 3, 9, 36, 54, 150}, "3s_vs_4z": {3, 4, 10, 42, 61, 200},
		"3s_vs_5z": {3, 5, 11, 48, 68, 250}, "2m_vs_1z": {2, 1, 7, 16, 26, 150}, "6h_vs_8z": {6, 8, 14, 78, 140, 150},
		"so_many_baneling": {7, 32, 38, 202, 397, 100}, "2s_vs_1sc": {2, 1, 7, 17, 27, 300},
		"corridor": {6, 24, 30, 156, 282, 400}, "bane_vs_bane": {24, 24, 30, 336, 984, 200}, "2c_vs_64zg": {2, 64, 70, 332, 342, 400},
	})
}

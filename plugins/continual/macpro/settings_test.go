package macpro

import (
	"maps"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/core/qlearn/qlearntest"
)

// configured are the method's settings as the configuration files have them, with
// changes: key, value, key, value. compat and env choose a compat file and its
// section; without them the settings are the defaults.
func configured(t testing.TB, compat, env string, changes ...any) *settings {
	t.Helper()
	info := Plugin.Info()
	s, err := qlearntest.Settings(nil)
	if err != nil {
		t.Fatal(err)
	}
	maps.Copy(s, conform.Defaults(t, info))
	if compat != "" {
		if s, err = qlearntest.Compat(compat, env, info, nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := 0; i+1 < len(changes); i += 2 {
		s[changes[i].(string)] = changes[i+1]
	}
	c, err := decode(s)
	if err == nil {
		err = c.decodeEntities(core.Settings(s))
	}
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

// defaults are the settings of a run that sets nothing.
func defaults(t testing.TB, changes ...any) *settings { return configured(t, "", "", changes...) }

// recordedSizes are those of the recorded networks.
var recordedSizes = []any{"z_dim", 4, "enc_depth", 2, "model_hidden", 6}

// tiny are the settings of the recordings on flat features.
func tiny(t testing.TB) *settings { return configured(t, "official", "lbf", recordedSizes...) }

// tinyTeams are those of the recordings on entities.
func tinyTeams(t testing.TB) *settings {
	return configured(t, "official", "marines", append([]any{"entity_embed_dim", 6, "attn_embed_dim", 4}, recordedSizes...)...)
}

// teamsOf are the defaults with small encoders and a model of that size.
func teamsOf(t testing.TB) *settings { return defaults(t, recordedSizes...) }

// The official settings that the recordings depend on.
func TestOfficialSettings(t *testing.T) {
	for env, clipped := range map[string]bool{"lbf": false, "pp": false, "marines": true, "sz": true, "smac": true} {
		c := configured(t, "official", env)
		if c.POEMask || !c.POEPrior || c.ShapeScale != 1 || c.AgentCode != keyCycling || c.StateUnits != keyLast || c.FeatureScale != 1 ||
			c.ClipLocal != clipped || !c.MergeStrict || !c.SaveNested || c.OracleMerged != keyLive {
			t.Errorf("%s: %+v", env, c)
		}
	}
}

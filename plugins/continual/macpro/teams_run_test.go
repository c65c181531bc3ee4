package macpro

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"macpro/core"
	"macpro/core/conform"
	"macpro/plugins/continual/internal/methodtest"
	marinesenv "macpro/plugins/envs/marines"
	"macpro/plugins/learners/vdn"
)

// onMarines is a short run on two real battles.
func onMarines(t testing.TB, changes ...any) conform.MethodSubject {
	t.Helper()
	s := methodtest.Subject(t, Plugin, vdn.Plugin{}, slices.Concat([]any{
		"z_dim", 4, "enc_depth", 1, "model_hidden", 6, "entity_embed_dim", 4, "attn_embed_dim", 3, "attn_fc_mult", 1,
		"context_batch", 2, "context_min_groups", 1, "context_buffer_size", 6, "kappa1", int64(20), "kappa2", int64(30), "probe_nepisode", 2, "test_nepisode", 2, "batch_size", 2,
	}, changes)...)
	all := conform.Defaults(t, marinesenv.Plugin.Info())
	maps.Copy(all, s.Settings)
	all["tasks"], all["steps_per_task"], all["test_interval"] = []string{"3m", "4m_vs_5m"}, int64(80), int64(80)
	s.Env, s.Settings = marinesenv.Plugin, all
	return s
}

func TestConformanceOnMarines(t *testing.T) { conform.MethodOn(t, onMarines(t)) }

// A run under the keys of the official code, and with those that change tokens.
func TestTeamKeys(t *testing.T) {
	for _, changes := range [][]any{
		{"poe_mask_padding", false, "encoder_agent_code", "cycling", "model_state_units", "last", "gen_center_source", "rollout", "center_mode", "cached"},
		{"enc_posenc", "sin", "encoder_shape_feature", false, "rec_coef", 0.0, "latents", true},
	} {
		rec, _, _ := methodtest.Play(t, onMarines(t, changes...))
		if len(fields(t, rec, "context")) == 0 {
			t.Errorf("%v: no context step", changes)
		}
	}
}

func TestTeamsThatDoNotFit(t *testing.T) {
	s := onMarines(t).Settings
	flat, big := marines("flat", 3, 3, 60), marines("16m", 16, 16, 60)
	flat.Entities = nil
	for want, c := range map[string]struct {
		tasks []core.EnvSpec
		local string
	}{
		"flat observations": {[]core.EnvSpec{marines("3m", 3, 3, 60), flat}, "shared"},
		"id_length":         {[]core.EnvSpec{marines("3m", 3, 3, 60), big}, "shared"},
		"per_agent":         {[]core.EnvSpec{marines("3m", 3, 3, 60)}, "per_agent"},
	} {
		s["local_encoder"] = c.local
		err := Plugin.Match(core.Pairing{Env: "marines", Tasks: c.tasks, Settings: s})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q expected, got %v", want, err)
		}
	}
}

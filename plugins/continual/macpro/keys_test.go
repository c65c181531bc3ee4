package macpro

import (
	"fmt"
	"slices"
	"testing"

	"macpro/core"
)

// picture is what a method does in a fixed course of events: two tasks with six
// and twelve episodes and the start of a third, and tests at the end.
func picture(t *testing.T, changes ...any) map[string]string {
	t.Helper()
	w := newWorld(t, changes...)
	m, p := w.m, map[string]string{}
	w.begin("first")
	for _, s := range m.trainer.g.net.Segments() {
		p["init_"+s.Name[:1]] += print(s.Of(m.trainer.g.net.Params))
	}
	p["init_f"] = print(m.trainer.f.net.Params)
	w.collect(6)
	w.end()
	p["penalty"] = fmt.Sprint(len(w.learner.penalties))
	for _, x := range w.learner.penalties {
		p["penalty"] += fmt.Sprint(x.Scope, x.Coef, x.L2, print(x.Anchor))
	}
	before := w.learner.Parameters(core.ScopeHead, nil)
	w.begin("second")
	p["new_head"] = fmt.Sprint(slices.Equal(before, w.learner.Parameters(core.ScopeHead, nil)), w.learner.Heads())
	w.learner.saves = nil
	w.collect(12)
	p["saves"], p["context_at"], p["stored"] = fmt.Sprint(w.learner.saves), fmt.Sprint(w.contextAt), fmt.Sprint(m.store.Len())
	w.end()
	if len(m.ready()) > 0 { // one more step, whose losses are looked at
		w.must(m.draw(m.ready()))
		p["groups"], p["noise"] = "", print(m.batch.noise)
		for _, g := range m.batch.groups {
			for _, e := range g {
				p["groups"] += fmt.Sprint(" ", e.Index)
			}
		}
		p["picks_g"], p["picks_l"] = fmt.Sprint(m.batch.picksG), fmt.Sprint(m.batch.picksL)
	}
	if len(w.contextAt) > 0 {
		for _, e := range w.rows {
			if e.Kind == "context" { // the first step: nothing has been learned yet
				for _, k := range []string{"model", "approx", "pos_g", "neg_g", "pos_l", "neg_l", "loss_g", "loss_f"} {
					p[k] = fmt.Sprint(e.Fields[k])
				}
				break
			}
		}
		p["g"], p["f"] = print(m.trainer.g.net.Params), print(m.trainer.f.net.Params)
		p["cached"] = fmt.Sprint(m.cached)
	}
	w.requests, w.learner.saves = nil, nil
	w.begin("third")
	p["identify"] = fmt.Sprint(played(w, "identify"))
	for _, k := range []string{"radius", "radius_floor", "distance"} {
		p[k] = fmt.Sprint(w.row("expansion", k))
	}
	p["decision"] = fmt.Sprint(w.row("expansion", "decision"), w.row("expansion", "head"), w.row("expansion", "nearest"))
	latents := 0
	for _, e := range w.rows {
		if e.Kind == "latents" {
			latents++
		}
	}
	p["latents"] = fmt.Sprint(latents)
	w.requests = nil
	for _, mode := range m.Modes() {
		plan := w.plan(0, "first", mode)
		p[mode] = fmt.Sprint(plan.Heads, plan.Stepper)
	}
	p["current"] = fmt.Sprint(w.plan(2, "third", ModeOracle).Heads)
	p["probe"] = fmt.Sprint(played(w, "probe"))
	w.requests = nil
	w.plan(-1, "late", ModeCTDE)
	p["centers"] = fmt.Sprint(played(w, "centers"))
	return p
}

// played are the requests for a purpose.
func played(w *world, purpose string) []string {
	var all []string
	for _, r := range w.requests {
		if r.Purpose == purpose {
			all = append(all, fmt.Sprint(r.Task, r.Episodes, r.Heads, r.Stepper, r.Epsilon))
		}
	}
	return all
}

// Everything that comes after the encoders have changed may change, too.
var (
	afterG = []string{"g", "cached", "model", "approx", "pos_g", "neg_g", "loss_g", "loss_f", "f", "radius", "distance", "radius_floor",
		"decision", "ctde", "ctce", "current", "probe", "identify", "random_head", "oracle", "centers"}
	afterF = []string{"f", "approx", "pos_l", "neg_l", "loss_f", "ctde"}
	// afterStep is what other parameters of g lead to: all but the first losses.
	afterStep = []string{"f", "cached", "radius", "radius_floor", "distance", "identify", "centers"}
	choice    = []string{"decision", "ctde", "ctce", "oracle", "current", "probe", "random_head"}
)

// Each key changes what it says, must, and nothing but that and what follows
// from it, may.
func TestKeys(t *testing.T) {
	common := picture(t)
	both := slices.Concat(afterG, afterF, []string{"init_g", "init_f", "init_h"})
	for _, c := range []struct {
		change    []any
		must, may []string
	}{
		{[]any{"z_dim", 6}, []string{"init_g", "init_f", "init_h", "noise", "model"}, both},
		{[]any{"enc_heads", 2}, []string{"init_g", "init_f", "model"}, both},
		{[]any{"enc_depth", 2}, []string{"init_g", "init_f", "model"}, both},
		{[]any{"enc_ff_mult", 3}, []string{"init_g", "init_f", "model"}, both},
		{[]any{"enc_posenc", "sin"}, []string{"model", "approx", "pos_g", "neg_l"}, slices.Concat(afterG, afterF)},
		{[]any{"aggregation", "mean"}, []string{"model", "approx", "pos_g", "neg_l"}, slices.Concat(afterG, afterF)},
		{[]any{"poe_prior", false}, []string{"model", "approx", "pos_g", "neg_l"}, slices.Concat(afterG, afterF)},
		{[]any{"poe_mask_padding", false}, []string{"model", "approx", "pos_g", "neg_l"}, slices.Concat(afterG, afterF)},
		{[]any{"enc_output", "std"}, []string{"model", "approx", "pos_g", "neg_l"}, slices.Concat(afterG, afterF)},
		{[]any{"enc_last_record", true}, []string{"model", "approx", "pos_g", "neg_l"}, slices.Concat(afterG, afterF)},
		{[]any{"local_encoder", "per_agent"}, []string{"init_f", "approx", "neg_l"}, afterF},
		{[]any{"model_hidden", 7}, []string{"init_h", "model", "loss_g", "g"}, slices.Concat(afterStep, choice)},
		{[]any{"model_state_target", "next"}, []string{"model", "loss_g", "g"}, slices.Concat(afterStep, choice)},
		{[]any{"model_loss", "sum"}, []string{"model", "loss_g", "g"}, slices.Concat(afterStep, choice)},
		{[]any{"rec_coef", 0.0}, []string{"init_h", "model", "loss_g", "g"}, slices.Concat(afterStep, choice)},
		{[]any{"rec_coef", 0.5}, []string{"loss_g", "g"}, slices.Concat(afterStep, choice)},
		{[]any{"approx_coef", 0.0}, []string{"loss_f", "f"}, []string{"ctde"}},
		{[]any{"alpha_cont_g", 0.0}, []string{"pos_g", "neg_g", "picks_g", "loss_g", "g"}, slices.Concat(afterStep, choice)},
		{[]any{"alpha_cont_l", 0.0}, []string{"pos_l", "neg_l", "picks_l", "loss_f", "f"}, []string{"ctde"}},
		{[]any{"div_reduction", "sum"}, []string{"approx", "pos_g", "neg_g", "pos_l", "neg_l"}, slices.Concat(afterStep, choice, []string{"loss_g", "loss_f", "g"})},
		{[]any{"contrastive_eps", 0.1}, []string{"neg_g", "neg_l"}, slices.Concat(afterStep, choice, []string{"loss_g", "loss_f", "g"})},
		{[]any{"context_batch", 5}, []string{"groups", "identify"}, slices.Concat(afterG, afterF, []string{"noise", "picks_g", "picks_l", "context_at", "centers"})},
		{[]any{"context_min_groups", 1}, []string{"context_at"}, slices.Concat(afterG, afterF, []string{"groups", "noise", "picks_g", "picks_l", "new_head", "saves"})},
		{[]any{"context_groups_per_step", 2}, nil, nil}, // there are no more
		{[]any{"context_buffer_size", 10}, []string{"stored"}, slices.Concat(afterG, afterF, []string{"groups", "context_at", "picks_g", "picks_l", "noise"})},
		{[]any{"kappa1", int64(40)}, []string{"context_at", "g", "f", "noise", "groups"}, slices.Concat(afterG, afterF, []string{"picks_g", "picks_l"})},
		{[]any{"kappa2", int64(15)}, []string{"saves"}, nil},
		{[]any{"alpha_reg", 5.0}, []string{"penalty"}, nil},
		{[]any{"alpha_reg", 0.0}, []string{"penalty"}, nil},
		{[]any{"reg_norm", "l2"}, []string{"penalty"}, nil},
		{[]any{"reg_sum", "agents"}, []string{"penalty"}, nil},
		{[]any{"save_with_context", true}, nil, []string{"saves"}}, // see TestSaveWithContext
		{[]any{"merge_strict", true}, nil, nil},                    // no distance is exactly the threshold
		{[]any{"oracle_merged", "live"}, []string{"current"}, nil},
		{[]any{"clip_local", false}, []string{"f"}, []string{"ctde"}},
		{[]any{"expansion", "always"}, []string{"identify", "distance", "radius"}, slices.Concat(choice, []string{"radius_floor"})},
		{[]any{"expansion", "never"}, []string{"new_head", "identify", "context_at"}, nil}, // nothing to compare is left
		{[]any{"max_heads", 2, "lambda_new", 0.0}, nil, nil},                               // merged with the same group, by the limit
		{[]any{"lambda_new", 0.0}, []string{"decision"}, choice},
		{[]any{"new_head", "reset"}, []string{"new_head"}, slices.Concat([]string{"context_at", "identify", "groups", "stored", "saves"}, afterG, afterF)},
		{[]any{"identify_policy", "live"}, []string{"identify"}, slices.Concat(choice, []string{"distance"})},
		{[]any{"identify_epsilon", 0.7}, []string{"identify"}, slices.Concat(choice, []string{"distance"})},
		{[]any{"merge_score", "ratio"}, nil, choice},
		{[]any{"center_mode", "cached"}, []string{"radius", "distance"}, choice},
		{[]any{"center_sample", "uniform"}, []string{"radius", "distance"}, choice},
		{[]any{"radius_floor", 9.0}, []string{"radius_floor"}, choice},
		{[]any{"probe_nepisode", 4}, []string{"probe"}, []string{"ctde", "ctce"}},
		{[]any{"probe_epsilon", 0.5}, []string{"probe"}, []string{"ctde", "ctce"}},
		{[]any{"probe_head_granularity", "step"}, []string{"probe"}, []string{"ctde", "ctce"}},
		{[]any{"probe_aggregate", "mean"}, nil, []string{"ctde", "ctce"}},
		{[]any{"random_head_granularity", "step"}, []string{"random_head"}, nil},
		{[]any{"eval_current_head", "saved"}, []string{"current"}, []string{"ctde", "ctce", "random_head", "probe", "oracle"}},
		{[]any{"gen_center_source", "rollout"}, []string{"centers"}, nil},
		{[]any{"latents", true}, []string{"latents"}, nil},
		{[]any{"feature_scale", 0.2}, []string{"model", "approx", "pos_g", "neg_l"}, slices.Concat(afterG, afterF)},
		{[]any{"lr", 1e-3}, []string{"g", "f"}, slices.Concat(afterStep, choice)},
		{[]any{"grad_norm_clip", 1e-3}, []string{"g", "f"}, slices.Concat(afterStep, choice)},
	} {
		t.Run(fmt.Sprint(c.change...), func(t *testing.T) {
			got := picture(t, c.change...)
			for k := range common {
				changed := got[k] != common[k]
				switch {
				case slices.Contains(c.must, k) && !changed:
					t.Errorf("%s did not change: %.200s", k, got[k])
				case changed && !slices.Contains(c.must, k) && !slices.Contains(c.may, k) && c.change[1] != "never":
					t.Errorf("%s changed from %.200s to %.200s", k, common[k], got[k])
				}
			}
		})
	}
}

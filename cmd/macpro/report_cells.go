package main

import (
	"macpro/core/report/page"
	"macpro/core/store"
	"macpro/core/sweep"
)

// waiting lists the cells of the named sweeps that no run has begun; all says to take
// every sweep if none is named. A cell has no run that --where or --from could ask for.
func (f *sourceFlags) waiting(all bool) ([]page.Cell, error) {
	ids := f.sweeps
	if len(f.where) > 0 || f.from != "" {
		return nil, nil
	}
	if ids == nil && all {
		var err error
		if ids, _, err = sweep.List(store.OS(), f.out); err != nil {
			return nil, err
		}
	}
	var out []page.Cell
	for _, id := range ids {
		s, err := sweep.Find(store.OS(), f.out, id)
		if err != nil {
			return nil, usage(err)
		}
		cancelled := s.Cancelled()
		for _, c := range s.Cells {
			st := s.State(c)
			if st.Run != "" || st.Status.Ended() || f.env != "" && f.env != c.Env {
				continue
			}
			status := string(st.Status)
			if cancelled && st.Status == sweep.Pending {
				status = "cancelled"
			}
			out = append(out, page.Cell{Sweep: s.ID, ID: c.ID[:min(len(c.ID), 6)], Status: status, Alg: c.Alg, Ablation: c.Ablation,
				Env: c.Env, Learner: c.Learner, Settings: s.Own(c), Seed: c.Seed, Steps: c.Steps})
		}
	}
	return out, nil
}

package continual

import "macpro/core/metrics"

// Curves are the scores of a mode's tests by task.
func (r *Runner) Curves(mode string) []metrics.Curve { return r.curves[mode] }

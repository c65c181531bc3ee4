// Package fisher protects parameters that earlier tasks need, as elastic weight
// consolidation does (Kirkpatrick et al., 2017). At a task's end it estimates
// how much each parameter theta_j matters for the task and notes where it is;
// from the next task on
//
//	(lambda/2) sum_j F_j (theta_j - theta*_j)^2
//
// is added to the loss. F is the diagonal of the empirical Fisher information:
// the mean over single episodes of the squared gradient of the episode's own
// loss. The square of a batch's mean gradient would be about as many times
// smaller as there are episodes, and noise.
//
// Near the end of a task with sparse rewards TD errors are small and F is of
// the order of 1e-6, differently in every environment. So that one lambda
// serves all of them F is divided by its mean (ewc_fisher_norm).
//
// With ewc_mode online importances add up and theta* is the latest (Huszar, 2018).
// Kirkpatrick et al. sum a pull for each task: separate. Continual World and COOM square
// gradients of the networks' outputs, for critics those of Q as q_grad does, bound
// importances of actors from below and have no factor 1/2.
//
// EWC protects the whole agent network this way, OWL its features.
package fisher

// Config are the keys of the protection.
type Config struct {
	Lambda   float64 `cfg:"ewc_lambda" min:"0" help:"weight of the pull towards earlier parameters; 0 switches it off"`
	Mode     string  `cfg:"ewc_mode" enum:"online,separate,last" help:"what is kept: one summed importance with the latest parameters, a pair for each task, or the last pair only"`
	Gamma    float64 `cfg:"ewc_gamma" min:"0" max:"1" only:"ewc_mode=online" help:"factor on the importance so far when a task's is added"`
	Episodes int     `cfg:"fisher_episodes" min:"1" help:"episodes of the buffer D that the importance is estimated from"`
	Source   string  `cfg:"fisher_source" enum:"td_loss,q_grad" help:"whose gradients are squared: the TD loss, or Q_tot of the taken actions"`
	Norm     string  `cfg:"ewc_fisher_norm" enum:"mean,none" help:"divide a task's importance by its mean over parameters, or leave it"`
	Clip     float64 `cfg:"ewc_fisher_clip" min:"0" help:"largest importance of a parameter after that; 0 is no bound"`
}

// The modes, sources and norms.
const (
	online   = "online"
	separate = "separate"
	last     = "last"
	normMean = "mean"
)

// pace is the shared key that rows about the drift follow.
type pace struct {
	Interval int64 `cfg:"log_interval" min:"1" help:"transitions between two rows of training statistics"`
}

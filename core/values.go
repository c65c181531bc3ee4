package core

// JointStep is one time step of valuing joint actions. The caller owns all
// slices.
type JointStep struct {
	Spec  *EnvSpec // of the lanes; nil means the task of SetTask
	Lanes int
	// Mixer is the saved head whose mixer copy counts; LiveHead is the online
	// mixer, TargetHead that of the target network.
	Mixer   int
	State   []float32 // [lanes, S]
	Avail   []uint8   // [lanes, n, A]
	Q       []float32 // [lanes, n, A] action values, as Act gives them
	Actions []int32   // [lanes, n]
	QTot    []float32 // [lanes], written
}

// TargetHead is the head id of the target network's copy of the live head. Only
// a Valuer knows it.
const TargetHead = -2

// HeadStep is one time step of several lanes, valued by several heads. Rows are
// (lane, agent), agent fastest. The caller owns all slices.
type HeadStep struct {
	Spec        *EnvSpec // of the lanes; nil means the task of SetTask
	Lanes       int
	Obs         []float32 // [lanes*n, o]
	LastActions []int32   // [lanes*n], -1 at an episode's start
	Hidden      []float32 // [lanes*n, HiddenWidth], zero at an episode's start; updated once
	// Heads are ids of heads. TargetHead has features of its own and therefore
	// stands alone, with a recurrent state of its own in Hidden.
	Heads []int32
	Q     []float32 // [heads, lanes*n, A], written
}

// ValueLoss is how a ValueTerm measures the distance of values.
type ValueLoss string

// Of one row, the values q of an agent's available actions and the values v that
// they are to have: the mean of (q-v)^2, or the Kullback-Leibler divergence
// KL(softmax(v/T) || softmax(q/T)) at the temperature T.
const (
	ValueMSE ValueLoss = "mse"
	ValueKL  ValueLoss = "kl"
)

// ValueTerm is a term of the loss on the agents' values: Coef times the mean of
// Loss over all rows (transition, agent) that have targets. It is part of the
// graph of the TD loss and of its pass.
type ValueTerm struct {
	Loss        ValueLoss
	Temperature float64 // of ValueKL, above 0
	Coef        float64
	// Targets holds, for each episode of the batch, the values [T, n, A] that the
	// agents are to have at the records that its transitions leave; nil for an
	// episode that is left alone. The slices are read until the step is made.
	Targets [][]float32
	// Only leaves episodes with targets out of the TD loss.
	Only bool
	// Head, if not nil, holds the parameters of ScopeHead that give the values in
	// place of the live head. They are constants: the gradient of the term flows
	// into the features alone.
	Head []float32
}

// Weight is one named tensor, row-major.
type Weight struct {
	Name  string
	Shape []int
	Data  []float32
}

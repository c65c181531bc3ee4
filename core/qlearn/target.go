package qlearn

// Returns says how the targets of the TD loss are formed.
type Returns struct {
	Gamma  float64 // discount factor
	Lambda float64 // weight of the longer return: 0 is the one-step target
}

// targets writes the targets y of all transitions of a shard, from q, the
// target network's Q_tot at the record that each transition reaches:
//
//	y_t = r_t + gamma*((1-lambda)*q_t + lambda*y_{t+1})
//
// within an episode; the last transition has y = r if it is terminal and
// y = r + gamma*q if its episode was only cut. There is no correction for
// actions that were not greedy.
func (v *view) targets(y, q []float32, r Returns) {
	for k := v.steps.N - 1; k >= 0; k-- {
		reward, ahead := float64(v.reward[k]), 0.0
		switch next := v.next[k]; next {
		case terminal:
		case bootstrap:
			ahead = float64(q[k])
		default:
			ahead = (1-r.Lambda)*float64(q[k]) + r.Lambda*float64(y[next])
		}
		y[k] = float32(reward + r.Gamma*ahead)
	}
}

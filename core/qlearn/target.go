package qlearn

// Returns says how the targets of the TD loss are formed.
type Returns struct {
	Gamma  float64 // discount factor
	Lambda float64 // weight of the longer return: 0 is the one-step target
}

// targets writes the targets y of all transitions of a shard, from q, the
// target network's Q_tot at the record that each transition reaches, both in so
// many columns:
//
//	y_t = r_t + gamma*((1-lambda)*q_t + lambda*y_{t+1})
//
// within an episode; the last transition has y = r if it is terminal and
// y = r + gamma*q if its episode was only cut. There is no correction for
// actions that were not greedy.
func (v *view) targets(y, q []float32, columns int, r Returns) {
	for k := v.steps.N - 1; k >= 0; k-- {
		for c := range columns {
			reward, ahead, at := float64(v.reward[k]), 0.0, k*columns+c
			switch next := v.next[k]; next {
			case terminal:
			case bootstrap:
				ahead = float64(q[at])
			default:
				ahead = (1-r.Lambda)*float64(q[at]) + r.Lambda*float64(y[int(next)*columns+c])
			}
			y[at] = float32(reward + r.Gamma*ahead)
		}
	}
}

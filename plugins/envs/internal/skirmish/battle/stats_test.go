package battle

import (
	"math"
	"testing"

	"macpro/core/conform/recorded"
)

// sample sums up the episodes of one map and policy.
type sample struct {
	Map, Policy string
	Eps         float64
	N           int
	Win         float64
	RetMean     float64 `json:"ret_mean"`
	RetStd      float64 `json:"ret_std"`
	LenMean     float64 `json:"len_mean"`
	LenStd      float64 `json:"len_std"`
	// What is left at the ends of episodes: living agents and enemies, and their
	// health with shields.
	Agents      float64     `json:"allies_left"`
	Enemies     float64     `json:"enemies_left"`
	AgentHealth float64     `json:"ally_hp"`
	EnemyHealth float64     `json:"enemy_hp"`
	Rows        [][]float64 // return, length, won, then the four of each episode; may be absent
	leftStd     [4]float64
}

// left are the means of what is left, and their standard deviations.
func (s *sample) left() (mean, std [4]float64) {
	mean, std = [4]float64{s.Agents, s.Enemies, s.AgentHealth, s.EnemyHealth}, s.leftStd
	for k := range std {
		var sum, squares float64
		for _, row := range s.Rows {
			sum, squares = sum+row[3+k], squares+row[3+k]*row[3+k]
		}
		if n := float64(len(s.Rows)); n > 0 {
			std[k] = math.Sqrt(max(squares/n-sum*sum/n/n, 0))
		}
	}
	return mean, std
}

// collect plays n episodes.
func collect(n int, episode func(seed uint64) result) sample {
	var s sample
	var left, left2 [4]float64
	var ret, length, ret2, len2 float64
	for i := range n {
		r := episode(uint64(1000 + i))
		ret, ret2 = ret+r.ret, ret2+r.ret*r.ret
		l := float64(r.length)
		length, len2 = length+l, len2+l*l
		for j, x := range r.left {
			left[j], left2[j] = left[j]+x, left2[j]+x*x
		}
		if r.won {
			s.Win++
		}
	}
	k := float64(n)
	for j := range left {
		left[j] /= k
		s.leftStd[j] = math.Sqrt(max(left2[j]/k-left[j]*left[j], 0))
	}
	s.Agents, s.Enemies, s.AgentHealth, s.EnemyHealth = left[0], left[1], left[2], left[3]
	s.N, s.Win = n, s.Win/k
	s.RetMean, s.RetStd = ret/k, math.Sqrt(max(ret2/k-ret*ret/k/k, 0))
	s.LenMean, s.LenStd = length/k, math.Sqrt(max(len2/k-length*length/k/k, 0))
	return s
}

// proportions is the two-proportion z statistic.
func proportions(a, b sample) float64 {
	n, m := float64(a.N), float64(b.N)
	p := (a.Win*n + b.Win*m) / (n + m)
	if p == 0 || p == 1 {
		return 0
	}
	return (a.Win - b.Win) / math.Sqrt(p*(1-p)*(1/n+1/m))
}

// rounding is the precision of the recorded means, less for what is left.
const rounding, coarse = 1e-3, 1e-2

// welch is the t statistic for two means, one of which was rounded.
func welch(m1, s1 float64, n1 int, m2, s2 float64, n2 int, rounded float64) float64 {
	return (m1 - m2) / math.Sqrt(s1*s1/float64(n1)+s2*s2/float64(n2)+rounded*rounded)
}

// agree compares a sample with recorded statistics at 4 standard errors.
func agree(t *testing.T, got, want sample, most [4]float64) {
	t.Helper()
	name := want.Map + " " + want.Policy
	if z := proportions(got, want); math.Abs(z) >= 4 {
		t.Errorf("%s: win rate %.3f, want %.3f (z = %.1f)", name, got.Win, want.Win, z)
	}
	if z := welch(got.RetMean, got.RetStd, got.N, want.RetMean, want.RetStd, want.N, rounding); math.Abs(z) >= 4 {
		t.Errorf("%s: return %.3f, want %.3f (t = %.1f)", name, got.RetMean, want.RetMean, z)
	}
	if z := welch(got.LenMean, got.LenStd, got.N, want.LenMean, want.LenStd, want.N, rounding); math.Abs(z) >= 4 {
		t.Errorf("%s: length %.2f, want %.2f (t = %.1f)", name, got.LenMean, want.LenMean, z)
	}
	mean, std := got.left()
	recorded, spread := want.left()
	for k, what := range []string{"agents", "enemies", "health of agents", "health of enemies"} {
		if len(want.Rows) == 0 {
			spread[k] = std[k]
			if m := recorded[k]; m < 0.02*most[k] || m > 0.98*most[k] {
				spread[k] = math.Sqrt(m * (most[k] - m)) // what is rare may not have come up here: the largest spread
			}
		}
		if z := welch(mean[k], std[k], got.N, recorded[k], spread[k], want.N, coarse); math.Abs(z) >= 4 {
			t.Errorf("%s: %s left %.2f, want %.2f (t = %.1f)", name, what, mean[k], recorded[k], z)
		}
	}
}

// whole is what is left of two sides without a loss.
func whole(b *Battle) (most [4]float64) {
	b.Reset(0)
	for side, us := range [][]Unit{b.table.Agents, b.table.Enemies} {
		most[side] = float64(len(us))
		for i := range us {
			most[2+side] += us[i].Health + us[i].Shield
		}
	}
	return most
}

// compareStatistics plays n episodes for every recorded map and policy.
func compareStatistics(t *testing.T, path string, n int) {
	var file struct{ Runs []sample }
	recorded.Read(t, path, &file)
	if len(file.Runs) < 32 {
		t.Fatalf("%d recorded samples", len(file.Runs))
	}
	for _, want := range file.Runs {
		b := liteBattle(t, want.Map)
		got := collect(n, func(seed uint64) result {
			if want.Policy == "heur" {
				return stubborn(b, seed)
			}
			return play(b, policies[want.Policy], want.Eps, seed)
		})
		agree(t, got, want, whole(b))
	}
}

// Whole episodes are distributed as in SMAClite, for four policies on the training maps.
func TestLiteStatistics(t *testing.T) {
	compareStatistics(t, "testdata/smaclite_stats.json.gz", 200)
}

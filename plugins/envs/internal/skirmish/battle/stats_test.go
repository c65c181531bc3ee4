package battle

import (
	"math"
	"testing"
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
}

// collect plays n episodes.
func collect(n int, episode func(seed uint64) result) sample {
	var s sample
	var ret, length, ret2, len2 float64
	for i := range n {
		r := episode(uint64(1000 + i))
		ret, ret2 = ret+r.ret, ret2+r.ret*r.ret
		l := float64(r.length)
		length, len2 = length+l, len2+l*l
		if r.won {
			s.Win++
		}
	}
	k := float64(n)
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

// rounding is the precision of the recorded means.
const rounding = 1e-3

// welch is the t statistic for two means, one of which was rounded.
func welch(m1, s1 float64, n1 int, m2, s2 float64, n2 int) float64 {
	return (m1 - m2) / math.Sqrt(s1*s1/float64(n1)+s2*s2/float64(n2)+rounding*rounding)
}

// agree compares a sample with recorded statistics at 4 standard errors.
func agree(t *testing.T, got, want sample) {
	t.Helper()
	name := want.Map + " " + want.Policy
	if z := proportions(got, want); math.Abs(z) >= 4 {
		t.Errorf("%s: win rate %.3f, want %.3f (z = %.1f)", name, got.Win, want.Win, z)
	}
	if z := welch(got.RetMean, got.RetStd, got.N, want.RetMean, want.RetStd, want.N); math.Abs(z) >= 4 {
		t.Errorf("%s: return %.3f, want %.3f (t = %.1f)", name, got.RetMean, want.RetMean, z)
	}
	if z := welch(got.LenMean, got.LenStd, got.N, want.LenMean, want.LenStd, want.N); math.Abs(z) >= 4 {
		t.Errorf("%s: length %.2f, want %.2f (t = %.1f)", name, got.LenMean, want.LenMean, z)
	}
}

// compareStatistics plays n episodes for every recorded map and policy.
func compareStatistics(t *testing.T, path string, n int) {
	var recorded struct{ Runs []sample }
	readGzip(t, path, &recorded)
	if len(recorded.Runs) < 32 {
		t.Fatalf("%d recorded samples", len(recorded.Runs))
	}
	for _, want := range recorded.Runs {
		b := liteBattle(t, want.Map)
		got := collect(n, func(seed uint64) result {
			if want.Policy == "heur" {
				return stubborn(b, seed)
			}
			return play(b, policies[want.Policy], want.Eps, seed)
		})
		agree(t, got, want)
	}
}

// Whole episodes are distributed as in SMAClite, for four policies on the training maps.
func TestLiteStatistics(t *testing.T) {
	compareStatistics(t, "testdata/smaclite_stats.json.gz", 200)
}

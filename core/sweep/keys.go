package sweep

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// fit takes the foreign keys out of all points, so that a key of one method does
// not stand in the way of comparing it with others. Points that become equal are
// one cell in the end. left says how many points went without each key; a key
// that no point could keep is an error.
func fit(points [][]string, foreign func([]string) map[string]string) (out [][]string, left map[string]int, err error) {
	left = map[string]int{}
	set, owner := map[string]int{}, map[string]string{} // set counts points
	for _, p := range points {
		without := foreign(p)
		var own []string
		for _, kv := range p {
			set[keyOf(kv)]++
			if _, no := without[keyOf(kv)]; !no {
				own = append(own, kv)
			}
		}
		out = append(out, own)
		for k, plugin := range without {
			left[k]++
			owner[k] = plugin
		}
	}
	for _, k := range slices.Sorted(maps.Keys(left)) {
		if left[k] == set[k] {
			return nil, nil, fmt.Errorf("no cell of the sweep has the key %q: it is a key of %s, which the sweep does not run", k, owner[k])
		}
	}
	return out, left, nil
}

func keyOf(kv string) string {
	key, _, _ := strings.Cut(kv, "=")
	return key
}

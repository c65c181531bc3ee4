package nn

import "sync"

// together runs work(0) to work(n-1) at the same time and waits for all. A panic
// in one of them is raised again by the caller, once all have ended.
func together(n int, work func(k int)) {
	var others sync.WaitGroup
	panics := make([]any, n)
	guard := func(k int) {
		defer func() { panics[k] = recover() }()
		work(k)
	}
	for k := 1; k < n; k++ {
		others.Go(func() { guard(k) })
	}
	guard(0)
	others.Wait()
	for _, p := range panics {
		if p != nil {
			panic(p)
		}
	}
}

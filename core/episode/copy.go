package episode

// CopyFrom makes e an independent copy of src. It reuses the memory of e and
// allocates only where src is larger than anything e has held.
func (e *Episode) CopyFrom(src *Episode) {
	old := *e
	*e = *src
	e.Obs = refill(old.Obs, src.Obs[:(src.T+1)*src.N*src.ObsWidth])
	e.State = refill(old.State, src.State[:(src.T+1)*src.StateWidth])
	e.Avail = refill(old.Avail, src.Avail[:(src.T+1)*src.N*src.A])
	e.Actions = refill(old.Actions, src.Actions[:src.T*src.N])
	e.Reward = refill(old.Reward, src.Reward[:src.T])
}

// refill copies src into dst's memory.
func refill[E any](dst, src []E) []E {
	dst = resized(dst, len(src))
	copy(dst, src)
	return dst
}

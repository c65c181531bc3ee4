package main

import (
	"fmt"
	"time"
)

// pace is the speed of a run that reports its step now and then. Steps that a
// resumed run had made before are not counted for speed.
type pace struct {
	total       int64
	first, last int64 // steps at the first and the last report
	began, seen time.Time
}

func (p *pace) report(step int64, now time.Time) {
	if p.began.IsZero() {
		p.first, p.began = step, now
	}
	p.last, p.seen = step, now
}

// speed is in steps a second, 0 while it is not known.
func (p *pace) speed() float64 {
	d := p.seen.Sub(p.began).Seconds()
	if d <= 0 {
		return 0
	}
	return float64(p.last-p.first) / d
}

// open is the number of steps to go.
func (p *pace) open() int64 { return max(p.total-p.last, 0) }

// leftText says how long some steps take, in the precision that an estimate has.
func leftText(steps int64, speed float64) string {
	if speed <= 0 {
		return "? left"
	}
	return durationText(float64(steps)/speed) + " left"
}

// durationText words an estimate of seconds in the precision that it has.
func durationText(s float64) string {
	switch {
	case s < 59.5:
		return fmt.Sprintf("%.0f s", s)
	case s < 3600:
		return fmt.Sprintf("%.0f min", s/60)
	}
	return fmt.Sprintf("%.1f h", s/3600)
}

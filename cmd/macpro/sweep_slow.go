package main

import (
	"log/slog"
	"time"
)

// slowly tells how far work is, once a second.
type slowly struct{ log *slog.Logger }

// show returns what work reports its progress to.
func (s *slowly) show(what string) func(done, all int) {
	if s == nil {
		return nil
	}
	told := time.Now()
	return func(done, all int) {
		if now := time.Now(); now.Sub(told) >= time.Second {
			told = now
			s.log.Info(what, "done", done, "of", all)
		}
	}
}

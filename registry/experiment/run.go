package experiment

import (
	"context"

	"macpro/core/config"
	"macpro/core/record"
)

// Recorded is a run that has come to its end.
type Recorded struct {
	ID, Dir string
	record.Result
}

// Run trains what a user's configuration says from the beginning, and records it in
// a new folder below a results root. The record of a run that could not be brought
// to its end says why; see Session.Play. Plugins must be registered, as import of
// macpro/plugins/all does.
func Run(ctx context.Context, u config.User, root string) (*Recorded, error) {
	x, err := Resolve(u)
	if err != nil {
		return nil, err
	}
	if err := x.TakeOver(root, nil, nil); err != nil {
		return nil, err
	}
	s, err := x.Open(nil)
	if err != nil {
		return nil, err
	}
	if err := s.Create(root); err != nil {
		return nil, err
	}
	result, err := s.Play(ctx)
	if err != nil {
		return nil, err
	}
	return &Recorded{s.Run.ID(), s.Run.Dir(), result}, nil
}

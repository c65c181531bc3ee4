package record

import (
	"fmt"
	"reflect"

	"macpro/core"
)

// Row is one row of a journal as it was read back. Fields hold what JSON has:
// nil, bool, string, []any, map[string]any and numbers as float64, except for
// integers beyond 2^53, which stay exact as int64 or uint64.
type Row struct {
	core.Event
	// Wall is the training time so far in seconds, over all sessions of the run.
	Wall float64
	// Line is the row's line in the file, from 1.
	Line int
}

// At is the position of a row: the training transitions and episodes so far, and
// the name of a task.
type At struct {
	TEnv    int64
	Episode int64
	Task    string
}

// Entry is a row of a known kind, or Free.
type Entry interface{ Event() core.Event }

// Free is a row of a kind that only its plugin knows.
type Free core.Event

// Event returns the row.
func (f Free) Event() core.Event { return core.Event(f) }

// kinds are the types of all known rows.
var kinds = map[string]reflect.Type{
	kindTaskStart:   reflect.TypeFor[TaskStart](),
	kindTaskEnd:     reflect.TypeFor[TaskEnd](),
	kindTrain:       reflect.TypeFor[Train](),
	kindPlasticity:  reflect.TypeFor[Plasticity](),
	kindTest:        reflect.TypeFor[Test](),
	kindTestEpisode: reflect.TypeFor[TestEpisode](),
	kindExpansion:   reflect.TypeFor[Expansion](),
	kindBorder:      reflect.TypeFor[Border](),
	kindAlarm:       reflect.TypeFor[Alarm](),
	kindLatents:     reflect.TypeFor[Latents](),
	kindCheckpoint:  reflect.TypeFor[Checkpoint](),
	kindBudget:      reflect.TypeFor[Budget](),
	kindFinal:       reflect.TypeFor[Final](),
}

// Parse gives a row the type of its kind. The error names the row and the field
// that does not have the kind's form.
func Parse(r Row) (Entry, error) {
	t, ok := kinds[r.Kind]
	if !ok {
		return Free(r.Event), nil
	}
	v := reflect.New(t).Elem()
	v.Field(0).Set(reflect.ValueOf(At{r.TEnv, r.Episode, r.Task}))
	if err := decode(v, r.Fields); err != nil {
		return nil, fmt.Errorf("row %q at t_env %d: %w", r.Kind, r.TEnv, err)
	}
	return v.Interface().(Entry), nil
}

// event is the journal's form of a row of a known kind.
func event(kind string, at At, v any) core.Event {
	return core.Event{Kind: kind, TEnv: at.TEnv, Episode: at.Episode, Task: at.Task, Fields: encode(reflect.ValueOf(v))}
}

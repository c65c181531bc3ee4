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
type Entry interface{ position() At }

func (a At) position() At { return a }

// Free is a row of a kind that only its plugin knows.
type Free core.Event

func (f Free) position() At { return At{f.TEnv, f.Episode, f.Task} }

var kinds = map[string]reflect.Type{
	KindTaskStart:   reflect.TypeFor[TaskStart](),
	"task_end":      reflect.TypeFor[TaskEnd](),
	"train":         reflect.TypeFor[Train](),
	"plasticity":    reflect.TypeFor[Plasticity](),
	KindTest:        reflect.TypeFor[Test](),
	KindTestEpisode: reflect.TypeFor[TestEpisode](),
	KindExpansion:   reflect.TypeFor[Expansion](),
	"border":        reflect.TypeFor[Border](),
	"alarm":         reflect.TypeFor[Alarm](),
	"latents":       reflect.TypeFor[Latents](),
	"checkpoint":    reflect.TypeFor[Checkpoint](),
	KindBudget:      reflect.TypeFor[Budget](),
	"final":         reflect.TypeFor[Final](),
}

type form struct {
	kind   string
	fields []field
}

var forms = func() map[reflect.Type]form {
	all := map[reflect.Type]form{}
	for kind, t := range kinds {
		all[t] = form{kind, fields(t)}
	}
	return all
}()

// Event is the journal's form of a row.
func Event(e Entry) core.Event {
	if f, free := e.(Free); free {
		return core.Event(f)
	}
	at, v := e.position(), reflect.ValueOf(e)
	return core.Event{Kind: forms[v.Type()].kind, TEnv: at.TEnv, Episode: at.Episode, Task: at.Task, Fields: encode(v)}
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

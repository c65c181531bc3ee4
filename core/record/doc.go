// Package record holds the form of everything that a run tells about itself. It
// has one Go type for each kind of row in the journal. It also has types for the
// result that closes a run, for the tests of its networks apart from training, and
// the words for its state. Writers and readers of a row use the same type.
//
//	e := record.Event(record.TaskStart{At: at, Index: 0, Heads: 1})
//	entry, err := record.Parse(row)
//	switch entry := entry.(type) {
//	case record.TaskStart:
//
// The tag row names a field of the journal:
//
//	row:"name"            always written; a row without it leaves the zero value
//	row:"name,required"   a row without it is refused
//	row:"name,omitempty"  not written while it has the zero value
//	row:"*"               a map: all fields that the type does not name
//
// A plugin may write rows of other kinds, with any fields. They are read back as
// Free.
//
// A task is known by its index in the run's sequence. A sequence may hold a name
// several times: Labels tells its tasks apart for people.
package record

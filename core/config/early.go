package config

import "macpro/core"

// Early returns what the user's layers say about some fields, before the run's
// plugins and with them its other keys are known. Fields that the user does not
// set are absent. Other keys are not looked at: Load checks them.
func Early(u User, fields []core.Field) (core.Settings, error) {
	var ps problems
	fs := newFieldSet(nil, nil)
	fs.add("every run", fields, &ps)
	out := core.Settings{}
	for _, l := range u.layers(&ps) {
		for _, r := range l.keys {
			f, ok := fs.byKey[r.key]
			if !ok {
				continue
			}
			v, err := r.value(f)
			if err != nil {
				ps.add(r.at, "%s: %v", r.key, err)
				continue
			}
			out[r.key] = v
		}
	}
	return out, ps.err()
}

package config

import "macpro/core"

// Early returns what the user's layers say about some fields, before the run's
// plugins and with them its other keys are known. Fields that the user does not
// set are absent. Other keys are not looked at: Load checks them.
func Early(u User, fields []core.Field) (core.Settings, error) {
	out := core.Settings{}
	err := u.each(fields, func(key string, v any, _ Origin) { out[key] = v })
	return out, err
}

// each hands over what the user's layers say about some fields, earlier layers
// first.
func (u User) each(fields []core.Field, give func(key string, v any, at Origin)) error {
	var ps problems
	fs := newFieldSet(nil, nil)
	fs.add("every run", fields, &ps)
	for _, l := range u.layers(&ps) {
		fs.given(l.keys, &ps, give)
	}
	return ps.err()
}

// given hands over the values of the keys that the set has. Others are left alone.
func (fs *fieldSet) given(keys []raw, ps *problems, give func(key string, v any, at Origin)) {
	for _, r := range keys {
		f, ok := fs.byKey[r.key]
		if !ok {
			continue
		}
		v, err := r.value(f)
		if err != nil {
			ps.add(r.at, "%s: %v", r.key, err)
			continue
		}
		give(r.key, v, r.at)
	}
}

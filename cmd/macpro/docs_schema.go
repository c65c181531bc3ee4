package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"macpro/core"
)

// keysSchema writes a JSON schema of the files for --config. Keys that several
// plugins have allow the values of each. Keys that it does not list may be those of
// external plugins, so they are no errors.
func keysSchema(w io.Writer, sections []keySection) error {
	root := map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "configuration of macpro", "type": "object",
		"properties": map[string]any{},
	}
	for _, s := range sections {
		for _, k := range s.Keys {
			at := root
			words := strings.Split(k.Key, ".")
			for _, word := range words[:len(words)-1] {
				properties := at["properties"].(map[string]any)
				if properties[word] == nil {
					properties[word] = map[string]any{"type": "object", "properties": map[string]any{}}
				}
				at = properties[word].(map[string]any)
			}
			properties, last := at["properties"].(map[string]any), words[len(words)-1]
			properties[last] = either(properties[last], k.schema(s.Title))
		}
	}
	return printJSON(w, root)
}

// either joins the schemas of a key of several owners.
func either(old any, now map[string]any) any {
	if old == nil {
		return now
	}
	all, ok := old.(map[string]any)["anyOf"].([]any)
	if !ok {
		all = []any{old}
	}
	return map[string]any{"anyOf": append(all, now)}
}

func (k keyDoc) schema(owner string) map[string]any {
	types := map[core.Kind]string{core.Bool: "boolean", core.Int: "integer", core.Float: "number", core.String: "string", core.Strings: "string", core.Ints: "integer"}
	s := map[string]any{"type": types[k.Kind]}
	if k.Min != nil {
		s["minimum"] = *k.Min
	}
	if k.Max != nil {
		s["maximum"] = *k.Max
	}
	if len(k.Enum) > 0 {
		s["enum"] = slices.Clone(k.Enum)
	}
	if k.Kind == core.Strings || k.Kind == core.Ints {
		s = map[string]any{"type": "array", "items": s}
	}
	if k.Below != "" { // single tasks, see core.Field.Below
		s = map[string]any{"anyOf": []any{s, map[string]any{"type": "object", "additionalProperties": s}}}
	}
	s["description"] = fmt.Sprintf("%s (%s; default %s)", k.meaning(), owner, k.Default)
	return s
}

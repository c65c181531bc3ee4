package names

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML says in the text of an error of the YAML parser what is most often behind it.
func YAML(text string) string {
	return strings.Replace(text, "found character that cannot start any token",
		"a tab stands where YAML wants blanks, or a value begins with a character such as @ or %", 1)
}

// DecodeYAML reads one YAML document into what v points to; nothing in data leaves
// v as it is. Unknown keys, values of another form and a second document are
// errors with their lines, in words for those who do not know the type of v. form
// says what the document is, as in "a sweep".
func DecodeYAML(data []byte, v any, form string) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(v); err != nil && !errors.Is(err, io.EOF) {
		return worded(err, reflect.TypeOf(v), form)
	}
	var second yaml.Node
	if err := d.Decode(&second); err == nil {
		return fmt.Errorf("line %d: a second document starts here; want one, %s", second.Line, form)
	} else if !errors.Is(err, io.EOF) {
		return worded(err, nil, form)
	}
	return nil
}

var (
	unknownField = regexp.MustCompile(`field (\S+) not found in type (\S+)`)
	wrongKind    = regexp.MustCompile(`cannot unmarshal .* into \S+`)
)

// worded says what is wrong with a document that t was to be read from.
func worded(err error, t reflect.Type, form string) error {
	lines := []string{YAML(strings.TrimPrefix(err.Error(), "yaml: "))}
	if mistyped, ok := errors.AsType[*yaml.TypeError](err); ok {
		lines = mistyped.Errors
	}
	for i, line := range lines {
		if m := unknownField.FindStringSubmatch(line); m != nil {
			line = strings.Replace(line, m[0], Unknown("key", m[1], fieldsOf(t, m[2], map[reflect.Type]bool{})).Error(), 1)
		}
		lines[i] = wrongKind.ReplaceAllString(line, "this has another form than in "+form)
	}
	return errors.New(strings.Join(lines, "; "))
}

// fieldsOf lists the YAML keys of the struct called name that t is or holds.
func fieldsOf(t reflect.Type, name string, seen map[reflect.Type]bool) (keys []string) {
	for t != nil && (t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map) {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || seen[t] {
		return nil
	}
	seen[t] = true
	for f := range t.Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if t.String() == name && key != "-" {
			keys = append(keys, key)
		}
		if t.String() != name && keys == nil {
			keys = fieldsOf(f.Type, name, seen)
		}
	}
	return keys
}

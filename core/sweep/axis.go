package sweep

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"macpro/core/config"
	"macpro/core/rng"
)

// Distribution is a range that random search draws from.
type Distribution struct {
	Low, High float64
	Log       bool // uniform in the logarithm
	Int       bool // whole numbers, both ends among them
}

// String is the range as ParseAxis reads it.
func (d *Distribution) String() string {
	form := map[[2]bool]string{{false, false}: "uniform", {true, false}: "loguniform", {false, true}: "int", {true, true}: "logint"}[[2]bool{d.Log, d.Int}]
	return fmt.Sprintf("%s(%g,%g)", form, d.Low, d.High)
}

// ParseAxis reads "key=a,b,c" or, for random search, a range: "key=uniform(a,b)",
// "key=loguniform(a,b)", "key=int(a,b)", "key=logint(a,b)". "key=choice(a,b,c)" is
// another form of "key=a,b,c". Commas within brackets belong to a value.
func ParseAxis(s string) (Axis, error) {
	key, list, ok := strings.Cut(s, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		return Axis{}, fmt.Errorf("grid %q: want key=value,value,..., such as lr=0.001,0.0005", s)
	}
	a, err := axisOf(key, list)
	if err != nil {
		return Axis{}, fmt.Errorf("grid %q: %w", s, err)
	}
	return a, nil
}

var formOf = regexp.MustCompile(`^\s*(uniform|loguniform|int|logint|choice)\((.*)\)\s*$`)

// axisOf reads the values of a key, or its range.
func axisOf(key, list string) (Axis, error) {
	if m := formOf.FindStringSubmatch(list); m != nil && m[1] != "choice" {
		d, err := distribution(m[1], m[2])
		return Axis{Key: key, Draw: d}, err
	} else if m != nil {
		list = m[2]
	}
	values := splitValues(list)
	seen := map[string]bool{}
	for i, v := range values {
		switch {
		case v == "":
			return Axis{}, fmt.Errorf("value %d is empty", i+1)
		case seen[v]:
			return Axis{}, fmt.Errorf("the value %s is listed twice", v)
		}
		seen[v] = true
	}
	return Axis{Key: key, Values: values}, nil
}

func distribution(form, args string) (*Distribution, error) {
	d := &Distribution{Log: strings.HasPrefix(form, "log"), Int: strings.HasSuffix(form, "int")}
	ends := strings.Split(args, ",")
	if len(ends) != 2 {
		return nil, fmt.Errorf("%s wants two numbers, such as %s(%s)", form, form, map[bool]string{true: "8,64", false: "0.1,0.5"}[d.Int])
	}
	for i, to := range []*float64{&d.Low, &d.High} {
		text := strings.TrimSpace(ends[i])
		var err error
		if d.Int {
			var n int
			n, err = config.ParseInt(text)
			*to = float64(n)
		} else {
			*to, err = config.ParseFloat(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", form, err)
		}
	}
	switch {
	case !(d.Low < d.High):
		return nil, fmt.Errorf("%s wants the smaller number first", form)
	case d.Log && d.Low <= 0:
		return nil, fmt.Errorf("%s wants numbers above 0", form)
	case d.Int && max(-d.Low, d.High) > 1<<53:
		return nil, fmt.Errorf("%s wants numbers up to 2^53", form)
	}
	return d, nil
}

// draw picks a value at random. Numbers with a fraction have four significant
// digits, so that settings stay readable.
func (d *Distribution) draw(r *rng.Stream) string {
	low, high := d.Low, d.High
	if d.Int {
		high++ // each whole number stands for what lies up to the next
	}
	x := 0.0
	if d.Log {
		x = math.Exp(r.Uniform(math.Log(low), math.Log(high)))
	} else {
		x = r.Uniform(low, high)
	}
	if d.Int {
		return strconv.FormatInt(int64(min(max(math.Floor(x), d.Low), d.High)), 10)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// Ranges lists the axes of a key that have a range.
func (s *Spec) Ranges() (out []Axis) {
	for _, g := range s.Grids {
		for _, a := range g {
			if a.Draw != nil {
				out = append(out, a)
			}
		}
	}
	return out
}

// splitValues splits at commas outside of brackets.
func splitValues(s string) []string {
	var out []string
	depth, from := 0, 0
	for i, r := range s {
		switch r {
		case '[', '{', '(':
			depth++
		case ']', '}', ')':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(s[from:i]))
				from = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(s[from:]))
}

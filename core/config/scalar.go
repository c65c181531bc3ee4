package config

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"macpro/core"
)

// decimal is the one way to write a number: 5, -0.5, .5, 5e3, 500_000.
var decimal = regexp.MustCompile(`^[+-]?([0-9]+(_[0-9]+)*)?(\.[0-9]*)?([eE][+-]?[0-9]{1,4})?$`)

// parseScalar reads text as a value of a scalar kind.
func parseScalar(kind core.Kind, text string) (any, error) {
	switch kind {
	case core.Bool:
		return parseBool(text)
	case core.Int:
		return ParseInt(text)
	case core.Float:
		return ParseFloat(text)
	}
	return text, nil
}

func parseBool(text string) (bool, error) {
	switch text {
	case "true", "True", "TRUE":
		return true, nil
	case "false", "False", "FALSE":
		return false, nil
	}
	return false, wrongText(text, core.Bool)
}

// ParseFloat reads a number as a configuration does.
func ParseFloat(text string) (float64, error) {
	digits, err := digits(text, core.Float)
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsInf(x, 0) || x == 0 && strings.Trim(mantissa(digits), "+-.0") != "" {
		return 0, fmt.Errorf("%q is outside of the range of numbers (about 1e-308 to 1e308)", text)
	}
	return x, nil
}

// ParseInt reads a whole number as a configuration does. It also takes 5e3 and 5000.0, which are whole; it computes exactly.
func ParseInt(text string) (int, error) {
	digits, err := digits(text, core.Int)
	if err != nil {
		return 0, err
	}
	r, ok := new(big.Rat).SetString(digits)
	switch {
	case !ok || !r.IsInt():
		return 0, wrongText(text, core.Int)
	case !r.Num().IsInt64():
		return 0, fmt.Errorf("%q is outside of the range of whole numbers (about -9e18 to 9e18)", text)
	}
	return int(r.Num().Int64()), nil
}

// digits checks the spelling of a number and removes underscores.
func digits(text string, kind core.Kind) (string, error) {
	if !decimal.MatchString(text) || !strings.ContainsAny(mantissa(text), "0123456789") {
		return "", wrongText(text, kind)
	}
	whole := strings.TrimLeft(text, "+-")
	if len(whole) > 1 && whole[0] == '0' && whole[1] >= '0' && whole[1] <= '9' {
		return "", fmt.Errorf("%q starts with a zero, which some programs read as octal; write %q",
			text, strings.TrimLeft(whole, "0_"))
	}
	return strings.ReplaceAll(text, "_", ""), nil
}

// mantissa is the part of a number before its exponent.
func mantissa(text string) string {
	m, _, _ := strings.Cut(strings.ToLower(text), "e")
	return m
}

func wrongText(text string, kind core.Kind) error {
	return fmt.Errorf("%q is not %s, such as %s", text, kindName(kind), example(kind))
}

func kindName(k core.Kind) string {
	switch k {
	case core.Bool:
		return "a truth value"
	case core.Int:
		return "a whole number"
	case core.Float:
		return "a number"
	case core.String:
		return "a text"
	case core.Strings:
		return "a list of texts"
	case core.Ints:
		return "a list of whole numbers"
	}
	return "a " + string(k)
}

// example is a value of a kind as one would write it.
func example(k core.Kind) string {
	switch k {
	case core.Bool:
		return "true or false"
	case core.Int:
		return "5000 or 5e3"
	case core.Float:
		return "0.0005 or 5e-4"
	case core.Strings:
		return "[a, b]"
	case core.Ints:
		return "[1, 2]"
	}
	return "abc"
}

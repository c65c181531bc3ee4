package metrics

import (
	"encoding/json"
	"fmt"
	"math"
)

// Matrix is R, (M+1) x M: R[j][i] is the score on task i (from 0) when j tasks
// have been trained. Its JSON form is a list of rows with null for NaN.
type Matrix [][]float64

// NewMatrix makes a matrix for m tasks in which nothing has been measured.
func NewMatrix(m int) Matrix {
	r := make(Matrix, m+1)
	for j := range r {
		r[j] = make([]float64, m)
		for i := range r[j] {
			r[j][i] = math.NaN()
		}
	}
	return r
}

// Tasks is M.
func (r Matrix) Tasks() int { return len(r) - 1 }

// Check says what is wrong with the shape, if anything.
func (r Matrix) Check() error {
	if len(r) < 2 {
		return fmt.Errorf("a score matrix has a row before and after at least one task, this one has %d rows", len(r))
	}
	for j, row := range r {
		if len(row) != r.Tasks() {
			return fmt.Errorf("score matrix: row %d has %d scores, want one for each of %d tasks", j, len(row), r.Tasks())
		}
	}
	return nil
}

// MarshalJSON writes NaN as null.
func (r Matrix) MarshalJSON() ([]byte, error) {
	return json.Marshal(numbers(r))
}

// UnmarshalJSON reads null as NaN.
func (r *Matrix) UnmarshalJSON(b []byte) error {
	var rows [][]Number
	if err := json.Unmarshal(b, &rows); err != nil {
		return err
	}
	*r = make(Matrix, len(rows))
	for j, row := range rows {
		(*r)[j] = make([]float64, len(row))
		for i, x := range row {
			(*r)[j][i] = float64(x)
		}
	}
	return nil
}

// Number is a float64 whose JSON form is null when it is not finite.
type Number float64

// MarshalJSON writes NaN and infinities as null.
func (x Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON reads null as NaN.
func (x *Number) UnmarshalJSON(b []byte) error {
	v := math.NaN()
	if string(b) != "null" {
		if err := json.Unmarshal(b, &v); err != nil {
			return err
		}
	}
	*x = Number(v)
	return nil
}

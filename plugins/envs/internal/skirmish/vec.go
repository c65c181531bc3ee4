package skirmish

import "math"

// Vec is a point or a displacement in map cells, or a velocity in cells per second.
type Vec struct{ X, Y float64 }

func (a Vec) plus(b Vec) Vec      { return Vec{a.X + b.X, a.Y + b.Y} }
func (a Vec) minus(b Vec) Vec     { return Vec{a.X - b.X, a.Y - b.Y} }
func (a Vec) times(s float64) Vec { return Vec{a.X * s, a.Y * s} }
func (a Vec) dot(b Vec) float64   { return a.X*b.X + a.Y*b.Y }
func (a Vec) det(b Vec) float64   { return a.X*b.Y - a.Y*b.X }
func (a Vec) square() float64     { return a.X*a.X + a.Y*a.Y }
func (a Vec) length() float64     { return math.Sqrt(a.X*a.X + a.Y*a.Y) }
func (a Vec) zero() bool          { return a.X == 0 && a.Y == 0 }
func (a Vec) left() Vec           { return Vec{-a.Y, a.X} }
func (a Vec) right() Vec          { return Vec{a.Y, -a.X} }
func (a Vec) plusScaled(b Vec, s float64) Vec {
	return Vec{a.X + b.X*s, a.Y + b.Y*s}
}

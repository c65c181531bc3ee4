// Package tour holds no code: its test, behind the tag slow, plays docs/tour.md.
package tour

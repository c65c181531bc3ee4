//go:build !slow

package main

const (
	everyNth = 3 // of how many combinations of plugins and overlays one is opened
	rounds   = 1 // how often tests with random moments are played
)

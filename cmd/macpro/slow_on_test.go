//go:build slow

package main

const everyNth = 1 // of how many combinations of plugins and overlays one is opened

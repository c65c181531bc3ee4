//go:build !slow

package main

const everyNth = 3 // of how many combinations of plugins and overlays one is opened

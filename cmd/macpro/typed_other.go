//go:build !linux

package main

// waitingInput asks a terminal for the bytes of the lines that nobody has read yet:
// FIONREAD of macOS and the BSDs.
const waitingInput = 0x4004667f

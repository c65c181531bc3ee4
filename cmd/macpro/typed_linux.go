package main

import "golang.org/x/sys/unix"

// waitingInput asks a terminal for the bytes of the lines that nobody has read yet.
const waitingInput = unix.TIOCINQ

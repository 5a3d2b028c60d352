package main

import (
	"os"
	"time"

	"parley/internal/daemon"
)

// surroundings are where a command was given.
type surroundings struct {
	env  daemon.Environ
	dir  string // the working directory; "" if it cannot be read
	host string // --host

	workspace string // --workspace
}

// program is one run of the binary, with everything it takes from the process.
type program struct {
	output
	in         *os.File
	executable string    // this binary, to start the daemon with
	started    time.Time // when the process was; zero if that is not known

	ended <-chan struct{} // closed once the program is to end, as after Ctrl-C; nil for never
}

func timeNow() time.Time { return time.Now() }

// cli is what all commands share: the program with the global flags, and the door to the service. What only prints gets
// its output.
type cli struct{ program }

// exitCode ends the program with this status and prints nothing.
type exitCode int

func (exitCode) Error() string { return "" }

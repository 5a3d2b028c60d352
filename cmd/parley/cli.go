package main

import (
	"os"
	"time"

	"parley/internal/daemon"
)

// program is one run of the binary, with everything it takes from the process.
type program struct {
	in         *os.File
	out, err   *os.File
	env        daemon.Environ
	dir        string // the working directory; "" if it cannot be read
	executable string // this binary, to start the daemon with
	now        func() time.Time
	started    time.Time // when the process was; zero if that is not known

	ended <-chan struct{} // closed once the program is to end, as after Ctrl-C; nil for never
}

func timeNow() time.Time { return time.Now() }

// cli is a program with its global flags. The commands share it.
type cli struct {
	program
	workspace string // --workspace
	host      string // --host
	json      bool   // --json

	goesOn string // what goes on without this command, for a person who interrupts it; "" for nothing
}

// exitCode ends the program with this status and prints nothing.
type exitCode int

func (exitCode) Error() string { return "" }

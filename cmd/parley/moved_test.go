package main

import "parley/internal/daemon"

// The trials and the contract's plays still read what a daemon writes down.
type daemonInfo = daemon.Info

const stateDir = daemon.StateDir

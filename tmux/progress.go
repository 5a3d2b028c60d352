package tmux

import (
	"slices"
	"strconv"
	"strings"
)

// A pane's progress is the number of the last message and how far that got: 5.1. tmux
// records it in the same step as the typing. It is a number because tmux compares whole
// numbers and ignores what follows the point.
//
// On parley's own server it is a hidden variable of the global environment, which no
// program inherits. An option of the pane costs the server three times as much, since for
// each option it looks at every window. The server never gives a pane's id again, so what
// is left of a pane that has gone does no harm. On a joined server it is an option of the
// pane, which dies with it: nothing of parley's stays behind there.

// seqVariable returns the name of the variable for a pane, such as PARLEY_SEQ_12.
func seqVariable(pane string) string { return "PARLEY_SEQ_" + strings.TrimPrefix(pane, "%") }

// record returns the command that records a pane's progress.
func record(pane string, joined bool, progress string) string {
	if joined {
		return "set-option -p -t " + pane + " " + seqOption + " " + progress
	}
	return "set-environment -gh " + seqVariable(pane) + " " + progress
}

// forget returns the command that removes the record. The option may be there too, see
// progressFormat.
func forget(pane string, joined bool) string {
	option := "set-option -p -u -t " + pane + " " + seqOption
	if joined {
		return option
	}
	return option + " ; set-environment -gu " + seqVariable(pane)
}

// progressFormat returns the format of a pane's progress. Versions up to 0.9 recorded it in
// the option everywhere.
func progressFormat(pane string, joined bool) string {
	if joined {
		return "#{" + seqOption + "}"
	}
	name := seqVariable(pane)
	return "#{?" + name + ",#{" + name + "},#{" + seqOption + "}}"
}

// phases lists the recorded phases by their digit.
var phases = [...]string{"", PanePasted, PaneEntered, PaneEnteredAgain}

// formatProgress returns what is recorded: the sequence number, a point, and the digit of the phase.
func formatProgress(seq uint64, phase string) string {
	return strconv.FormatUint(seq, 10) + "." + strconv.Itoa(slices.Index(phases[:], phase))
}

// parseProgress is the reverse of formatProgress. Anything else, such as the empty
// record of a pane that was never typed to, is 0 and "".
func parseProgress(record string) (seq uint64, phase string) {
	number, digit, _ := strings.Cut(record, ".")
	seq, _ = strconv.ParseUint(number, 10, 64)
	if n, err := strconv.Atoi(digit); err == nil && n > 0 && n < len(phases) {
		phase = phases[n]
	}
	return seq, phase
}

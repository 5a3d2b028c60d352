package tmux

import (
	"os"
	"path/filepath"
	"strings"
)

// settings returns the commands that set the options of parley's own server. Sizes: a
// window follows the person who attaches, and keeps that size until Pane.Resize gives it
// another.
func settings(env []string) []string {
	return []string{
		"set-option -s exit-empty off",
		"set-option -s message-limit 0", // the log of command lines: 1000 held 27 MB of old texts, 10 would keep ten
		"set-option -s escape-time 0",
		"set-option -s focus-events on",
		"set-option -s default-terminal " + terminal(env),
		"set-option -g default-size 200x50",
		"set-option -g destroy-unattached off",
		"set-option -wg window-size latest",
		"set-option -wg remain-on-exit on", // before any session: later is too late for a program that exits at once
		"set-option -wg automatic-rename off",
		"set-option -wg allow-rename off",
	}
}

// terminal returns the best terminal description that programs in panes will find on
// this machine.
func terminal(env []string) string {
	dirs := []string{"/etc/terminfo", "/lib/terminfo", "/usr/share/terminfo", "/usr/share/lib/terminfo",
		"/usr/local/share/terminfo", "/opt/homebrew/share/terminfo"}
	for _, kv := range env {
		switch key, value, _ := strings.Cut(kv, "="); key {
		case "TERMINFO":
			dirs = append(dirs, value)
		case "HOME":
			dirs = append(dirs, filepath.Join(value, ".terminfo"))
		case "TERMINFO_DIRS":
			dirs = append(dirs, filepath.SplitList(value)...)
		}
	}

	for _, dir := range dirs {
		for _, sub := range []string{"t", "74"} { // by first letter, or by its hexadecimal code
			if _, err := os.Stat(filepath.Join(dir, sub, "tmux-256color")); dir != "" && err == nil {
				return "tmux-256color"
			}
		}
	}

	return "screen-256color"
}

package parley

import (
	"path/filepath"
	"strings"
)

// IsShell reports whether argv is a bare interactive shell, which would run a typed
// text as a command: a known shell, perhaps a login shell with its '-', with nothing
// but options. A script or -c is not one.
func IsShell(argv []string) bool {
	if len(argv) == 0 {
		return false
	}

	switch name := filepath.Base(strings.TrimPrefix(argv[0], "-")); name {
	case "bash", "sh", "zsh", "fish", "dash", "ksh", "mksh", "tcsh", "csh", "ash", "nu", "pwsh", "xonsh", "elvish":
	default:
		return false
	}

	for _, word := range argv[1:] {
		switch {
		case len(word) < 2 || word[0] != '-' && word[0] != '+':
			return false
		case word == "--command" || strings.HasPrefix(word, "--command="), word == "-Command", word == "-File":
			return false
		case word[0] == '-' && word[1] != '-' && !isLong(word) && strings.ContainsRune(word, 'c'):
			return false
		}
	}

	return true
}

// isLong recognises PowerShell's long options of one dash, such as -NoProfile.
func isLong(word string) bool { return word[1] >= 'A' && word[1] <= 'Z' && len(word) > 3 }

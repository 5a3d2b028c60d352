package parley

import (
	"path/filepath"
	"slices"
	"strings"
)

// IsShell reports whether argv is a bare interactive shell, which would run a typed
// text as a command: a known shell, perhaps a login shell with its '-', with nothing
// but options. A script or -c is not one.
func IsShell(argv []string) bool {
	if len(argv) > 1 && filepath.Base(argv[0]) == "busybox" {
		argv = argv[1:]
	}
	if len(argv) == 0 {
		return false
	}

	name := filepath.Base(strings.TrimPrefix(argv[0], "-"))
	switch name {
	case "bash", "rbash", "sh", "zsh", "fish", "dash", "ksh", "mksh", "tcsh", "csh", "ash", "nu", "xonsh", "elvish":
	case "pwsh":
		if slices.ContainsFunc(argv, func(word string) bool { return strings.EqualFold(word, "-NoExit") }) {
			return true
		}
	default:
		return false
	}

	for i := 1; i < len(argv); i++ {
		word := argv[i]
		switch {
		case takesValue(name, word):
			i++
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

// takesValue reports whether the word behind an option of a shell belongs to it, as in bash --rcfile FILE,
// with which development environments begin a shell.
func takesValue(shell, word string) bool {
	switch word {
	case "--rcfile", "--init-file", "--config", "--env-config", "--init-command", "-o", "+o", "-O", "+O":
		return true
	case "-C":
		return shell == "fish"
	}
	short := shell != "pwsh" && len(word) > 2 && word[0] == '-' && word[1] != '-'
	return short && strings.HasSuffix(word, "o") && !strings.ContainsRune(word, 'c')
}

// isLong recognises PowerShell's long options of one dash, such as -NoProfile.
func isLong(word string) bool { return word[1] >= 'A' && word[1] <= 'Z' && len(word) > 3 }

package sh

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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

// ShellWord returns a text as one word of a shell's command line, in quotes where it needs them. What people are
// told to run has each path, branch and argument through it. Control characters are written as escapes.
func Word(text string) string {
	switch {
	case text != "" && strings.Trim(text, plainInShell) == "" && text[0] != '=':
		return text
	case strings.ContainsFunc(text, unicode.IsControl) || !utf8.ValidString(text):
		return "$'" + escapedForShell(text) + "'"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// plainInShell are the characters that no shell reads as anything else within a word.
const plainInShell = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,+@%"

// escapedForShell returns a text for between $' and ', with octal escapes for the bytes of control characters
// and of what is no UTF-8.
func escapedForShell(text string) string {
	var b strings.Builder
	for i, w := 0, 0; i < len(text); i += w {
		var r rune
		r, w = utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '\'' || r == '\\':
			b.WriteString(`\` + string(r))
		case unicode.IsControl(r) || r == utf8.RuneError && w == 1:
			for _, c := range []byte(text[i : i+w]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// ShellLine returns the command line by which a shell runs argv.
func Line(argv []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = Word(word)
	}
	return strings.Join(words, " ")
}

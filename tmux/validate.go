package tmux

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// checkText returns an error unless text may be pasted: valid UTF-8, not empty, and
// with no control characters except LF and TAB. ESC and C1 would break out of the
// paste; bidirectional overrides would show a person another text than the agent
// reads. The error wraps ErrUnsafeText and names the character and its byte.
func checkText(text string) error {
	if text == "" {
		return fmt.Errorf("%w: it is empty", ErrUnsafeText)
	}

	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return fmt.Errorf("%w: not UTF-8 at byte %d", ErrUnsafeText, i)
			}
		}

		if unsafeRune(r) {
			return fmt.Errorf("%w: %U at byte %d", ErrUnsafeText, r, i)
		}
	}

	return nil
}

func unsafeRune(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r <= 0x9f:
		return true
	case r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// checkOwner returns an error unless an identity is harmless inside a tmux format,
// where commas, braces, '#' and '%' have a meaning.
func checkOwner(owner string) error {
	if owner == "" || len(owner) > 128 {
		return invalid("owner of %d bytes, want 1 to 128", len(owner))
	}
	for i := 0; i < len(owner); i++ {
		if !plain(owner[i]) && owner[i] != '.' && owner[i] != '@' && owner[i] != '/' {
			return invalid("owner %q: only letters, digits and -_.@/", owner)
		}
	}
	return nil
}

// checkSessionName returns an error for a name that tmux would rewrite (':' and '.')
// or read as something else in a target.
func checkSessionName(name string) error {
	if name == "" || len(name) > 128 || name[0] == '-' || name == hubSession {
		return invalid("session name %q", name)
	}
	for i := 0; i < len(name); i++ {
		if !plain(name[i]) {
			return invalid("session name %q: only letters, digits, - and _", name)
		}
	}
	return nil
}

func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_'
}

func noNUL(words ...string) error {
	for _, w := range words {
		for i := 0; i < len(w); i++ {
			if w[i] == 0 {
				return invalid("NUL in %q", w)
			}
		}
	}
	return nil
}

func checkPane(id string) error {
	digits, ok := strings.CutPrefix(id, "%")
	if _, err := strconv.ParseUint(digits, 10, 32); !ok || err != nil {
		return invalid("pane id %q", id)
	}
	return nil
}

// The options in which tmux records what parley must not forget. They outlive the
// daemon and die with the pane.
const (
	ownerOption = "@parley_agent" // of the pane: the identity of its agent
	seqOption   = "@parley_seq"   // of the pane: its progress, see record
	sizeOption  = "@parley_size"  // of the window, if parley made it: the size at launch
	dirOption   = "@parley_dir"   // of the server, while a session is started: its directory
	queueOption = "@parley_hold"  // of the session: number of the message for which keys wait
)

// queueTable is the key table of a session whose keys wait, see queueKeys.
const queueTable = "parley-hold"

// hubSession keeps the server alive and gives the control client a session to be
// attached to. It is never listed.
const hubSession = "_hub"

package trial

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/term"
)

// fakeProgram makes the test's own binary a program with a composer: its name, what it does, and a file for
// what it was given.
const fakeProgram = "fake-program"

// What a fake program does.
const (
	takesKeys = "keys" // it takes several keys that it reads at once for a text, and frames no pastes
	showsNone = "none" // it shows nothing of what is typed
	drawsOne  = "draw" // the same as keys, and draws a cursor of its own
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == fakeProgram {
		if err := fake(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// fake runs a fake program until its terminal is gone.
func fake(does, file string) error {
	old, err := term.MakeRaw(0)
	if err != nil {
		return err
	}
	defer func() { _ = term.Restore(0, old) }()
	got, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}

	var text []byte
	buf := make([]byte, 4096)
	for {
		shown := string(text)
		if does == drawsOne {
			shown += "█"
			fmt.Print("\x1b[?25l")
		}
		if err := drawFake(shown); err != nil {
			return err
		}
		n, err := os.Stdin.Read(buf)
		if err != nil {
			return err
		}
		keys := buf[:n]
		switch {
		case does == showsNone:
			_, err = got.Write(keys)
		case bytes.ContainsAny(keys, "\r\n"):
			_, err = got.Write(append(text, keys...))
			text = nil
		case string(keys) == "\x7f":
			text = text[:max(0, len(text)-1)]
			for len(text) > 0 && text[len(text)-1]&0xc0 == 0x80 {
				text = text[:len(text)-1]
			}
		case string(keys) != "\x1b":
			text = append(text, keys...)
		}
		if err != nil {
			return err
		}
	}
}

// drawFake draws the composer with a text, of which it shows the end.
func drawFake(text string) error {
	const width = 60
	shown := []rune(strings.ReplaceAll(text, "\x7f", ""))
	var rows []string
	for len(shown) > width {
		rows, shown = append(rows, string(shown[:width])), shown[width:]
	}
	rows = append(rows, string(shown))

	rule := strings.Repeat("─", width+2)
	_, err := fmt.Printf("\x1b[2J\x1b[H%s\r\n❯ %s\r\n%s\r\n  ready\r\n", rule, strings.Join(rows, "\r\n  "), rule)
	return err
}

package profile_test

import (
	"strings"
	"testing"

	"parley/internal/must"
	"parley/program/profile"
)

// on returns a screen whose cursor stands behind its text.
func on(text string) profile.Screen {
	lines := strings.Split(text, "\n")
	last := len(lines) - 1
	return profile.Screen{
		Lines: append(lines, "", ""), Width: 120, CursorY: last, CursorX: len([]rune(lines[last])),
	}
}

func generic(t *testing.T) *profile.Profile {
	t.Helper()
	return must.Have(must.Have(profile.Builtin())(t).Find(profile.Default))(t)
}

// placeOn returns the place on a screen of a program without markers.
func placeOn(t *testing.T, text string) profile.Place {
	t.Helper()
	return profile.PlaceOf(on(text), generic(t))
}

// A message is typed only where messages belong. The prompts are those of programs and of libraries for prompts.
func TestWhichPlacesAreNew(t *testing.T) {
	const earlier = "some output of the program\n"
	for _, prompt := range []string{
		"", "> ", ">>> ", "... ", "$ ", "# ", "❯ ", "› ", "» ", "λ ", "│ > ", "│ ", "* ", "-> ", "│ ❯ ", "╰─ ",
		"aider> ",
		"irb(main):001> ", "iex(1)> ", "(Pdb) ", "In [3]: ",
	} {
		if p := placeOn(t, earlier+prompt); p.New {
			t.Errorf("%q is taken for a question: %+v", prompt, p)
		}
	}

	for _, question := range []string{
		"Is this OK? (yes) ", "Type 'yes' to confirm: ", "  Enter a value: ", "Username: ",
		"Username for 'https://example.org': ",
		"Enter file in which to save the key (/home/u/.ssh/id_ed25519): ", "? What is your name? ",
		"? What is your name? › ", "✔ Project name … ", "Would you like to log in to Amp? [(y)es, (n)o]: ",
		"Select an option > ", "Continue [space] ", "Your choice> now ", "1) one\n2) two\n> ",
		"[1] one\n[2] two\n[3] three\n\nPick:\n> ", "1. one\n2. two\n❯ ", "ready", "Enter your name:\n",
		"Proceed?\n", "What is it called?\n\n", "◆  Enter a path\n│  ", "Are you sure (default: no)",
		"a half typed line", "really?> ", "package name: (x) ", "¿Seguro? ", "名前：",
		"[me@box app]$ ", "user@host:~$ ", "deploy@prod:~# ", "sh-5.2$ ",
		"me@box ~> ", "password>", "PIN> ", "confirm> ", "y/n> ",
		"What shall be deleted?\n> ", "Files to be deleted: a b\n> ", "a) staging\nb) production\n> ",
		"Paste your API key\n> ", "Type DROP to go on\n> ", "d=delete k=keep\n", "Allow this command [y/n]\n> ",
		"Allow this command [y/n]\n", "Delete it? (yes/no)\n\n",
	} {
		if p := placeOn(t, earlier+question); !p.New {
			t.Errorf("%q is not taken for a question: %+v", question, p)
		}
	}

	hidden := on("> ")
	hidden.CursorHidden = true
	if at := profile.PlaceOf(hidden, generic(t)); !at.New || !at.Lost {
		t.Errorf("a hidden cursor shows the place %+v", at)
	}
}

// Behind parley's own text, the place is where that text begins.
func TestOwnTextMakesNoOtherPlace(t *testing.T) {
	typed := "[AGENT 5f0c0001 TO AGENT 5f0c0002]: please build (msg 5f0c0003)"
	for before, want := range map[string]bool{
		"ready\n": false, "> ": false, "ready\n\n": false, "Enter a value: ": true, "1) one\n2) two\n> ": true,
	} {
		empty := placeOn(t, before)
		p := placeOn(t, before+typed)
		if p.New != want || p.ID() != empty.ID() {
			t.Errorf("%q with the text: %+v, want %+v", before, p, empty)
		}
		if p := placeOn(t, before+typed+"\nUpdate now? "); !p.New {
			t.Errorf("%q with the text and a question: %+v", before, p)
		}
	}
}

func TestNumbersMakeNoOtherPlace(t *testing.T) {
	one, two := placeOn(t, "agent [1] waits: "), placeOn(t, "agent [12] waits: ")
	if one.ID() != two.ID() || one.ID() == "" {
		t.Errorf("%q and %q", one.ID(), two.ID())
	}
}

package profile_test

import (
	"strings"
	"testing"

	"parley/profile"
)

// on returns a screen whose cursor stands behind its text.
func on(text string) profile.Screen {
	lines := strings.Split(text, "\n")
	last := len(lines) - 1
	return profile.Screen{
		Lines: append(lines, "", ""), Width: 120, CursorY: last, CursorX: len([]rune(lines[last])),
	}
}

// A message is typed only where messages belong. The prompts are those of programs and of libraries for prompts.
func TestWhichPlacesAreNew(t *testing.T) {
	const earlier = "some output of the program\n"
	for _, prompt := range []string{
		"", "> ", ">>> ", "... ", "$ ", "# ", "❯ ", "› ", "» ", "λ ", "aider> ", "architect> ",
		"irb(main):001> ", "iex(1)> ", "mysql> ", "sqlite> ", "postgres=# ", "127.0.0.1:6379> ", "(Pdb) ",
		"(gdb) ", "In [3]: ", "Prelude> ", "│ > ", "│ ", "* ", "user@host:~$ ", "-> ", "│ ❯ ", "╰─ ",
	} {
		if p, ok := profile.PlaceOf(on(earlier + prompt)); !ok || p.New {
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
	} {
		if p, ok := profile.PlaceOf(on(earlier + question)); !ok || !p.New {
			t.Errorf("%q is not taken for a question: %+v", question, p)
		}
	}
}

// Behind parley's own text, the place is where that text begins.
func TestOwnTextMakesNoOtherPlace(t *testing.T) {
	typed := "[AGENT 5f0c0001 TO AGENT 5f0c0002]: please build (msg 5f0c0003)"
	for before, want := range map[string]bool{
		"ready\n": false, "> ": false, "ready\n\n": false, "Enter a value: ": true, "1) one\n2) two\n> ": true,
	} {
		empty, _ := profile.PlaceOf(on(before))
		p, ok := profile.PlaceOf(on(before + typed))
		if !ok || p.New != want || p.ID() != empty.ID() {
			t.Errorf("%q with the text: %+v, want %+v", before, p, empty)
		}
		if p, _ := profile.PlaceOf(on(before + typed + "\nUpdate now? ")); !p.New {
			t.Errorf("%q with the text and a question: %+v", before, p)
		}
	}
}

func TestNumbersMakeNoOtherPlace(t *testing.T) {
	one, _ := profile.PlaceOf(on("agent [1] waits: "))
	two, _ := profile.PlaceOf(on("agent [12] waits: "))
	if one.ID() != two.ID() || one.ID() == "" {
		t.Errorf("%q and %q", one.ID(), two.ID())
	}
}

func TestProgramsThatPassOnWhatIsTyped(t *testing.T) {
	for line, want := range map[string]bool{
		"ssh host": true, "ssh": true, "env X=1 ssh host": true, "tmux attach": true, "docker exec -it web bash": true,
		"docker compose exec web sh": true, "kubectl exec -it pod -- sh": true, "gcloud compute ssh vm": true,
	} {
		if got := profile.Relays(strings.Fields(line)); got != want {
			t.Errorf("%q: %t, want %t", line, got, want)
		}
	}
}

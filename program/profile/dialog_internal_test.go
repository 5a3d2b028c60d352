package profile

import "testing"

func TestPictureAboveADialogIsNotItsQuestion(t *testing.T) {
	lines := []string{"⢀⣀⣠⣤⣤⣤", "⣠⣾⣿⣿⠿⠋", "", "Welcome to Codex", "", "Choose how you want to use Codex."}
	if got, want := question(lines), "Welcome to Codex"; got != want {
		t.Errorf("the question is %q, want %q", got, want)
	}
	if got, want := question([]string{"⣠⣾", "Go on?", "Bash(ls)"}), "Go on?"; got != want {
		t.Errorf("the question is %q, want %q", got, want)
	}
}

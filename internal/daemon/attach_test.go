package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"parley/internal/must"
	"parley/tmux"
)

func TestAttachSettingsBecomeAView(t *testing.T) {
	standard := tmux.View{
		Mouse: true, Keys: true, Clipboard: "external", Status: true, History: 10000, NextKey: "F9", PreviousKey: "F8",
	}
	plain := tmux.View{Clipboard: "on", History: 500, PreviousKey: "M-Left"}

	for text, want := range map[string]tmux.View{
		"":                          standard,
		"attach:\n":                 standard,
		"settings:\n  footer: full": standard,
		"attach: {mouse: false, keys: false, status: false, clipboard: programs, history: 500, next_key: none, " +
			"previous_key: M-Left}": plain,
	} {
		file := filepath.Join(t.TempDir(), "parley.yaml")
		must.Do(t, os.WriteFile(file, []byte(text), 0o600))
		team := must.Have(LoadTeam(file, true))(t)
		if got := team.Attach.view(); got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
}

// A user's own file comes first, and the workspace's over it.
func TestAttachSettingsOfTheUserStay(t *testing.T) {
	base := &Team{}
	base.Attach.fill()
	base.Attach.Mouse = false
	file := filepath.Join(t.TempDir(), "parley.yaml")
	must.Do(t, os.WriteFile(file, []byte("attach: {history: 700}"), 0o600))
	team := must.Have(loadOver(base, file, true))(t)
	if team.Attach.Mouse || team.Attach.History != 700 || !team.Attach.Keys {
		t.Errorf("got %+v", team.Attach)
	}
}

func TestAttachKeysAreThoseThatNoProgramReads(t *testing.T) {
	for key, ok := range map[string]bool{
		"F9": true, "M-Right": true, "C-M-x": true, "S-F3": true, "none": true,
		"F12": false, "a": false, "C-b": false, "F13": false, "F9 } ; kill-server": false, "": false,
	} {
		s := AttachSettings{}
		s.fill()
		s.NextKey = key
		if err := s.check("here"); (err == nil) != ok {
			t.Errorf("%q: %v", key, err)
		}
	}

	s := AttachSettings{}
	s.fill()
	if err := s.Override(Environ{"PARLEY_ATTACH_NEXT_KEY=F8"}); err == nil {
		t.Error("one key for two ways")
	}
	if err := s.Override(Environ{"PARLEY_ATTACH_NEXT_KEY=F7", "PARLEY_ATTACH_MOUSE=false"}); err != nil || s.Mouse ||
		s.NextKey != "F7" {
		t.Errorf("got %+v, %v", s, err)
	}
}

// Somebody else's file may let less fill the clipboard than the user's own settings, and more only once the user
// trusts it.
func TestUntrustedFileOpensNoClipboard(t *testing.T) {
	for i, before := range clipboardReach {
		for j, wants := range clipboardReach {
			file := &Team{Attach: AttachSettings{Clipboard: wants}}
			file.Claims = file.clipboardClaims(before)
			file.withhold(&Team{Attach: AttachSettings{Clipboard: before}})
			if got, want := file.Attach.Clipboard, clipboardReach[min(i, j)]; got != want ||
				(len(file.Withheld) > 0) != (j > i) {
				t.Errorf("%s over %s: got %s, and %v withheld; want %s", wants, before, got, file.Withheld, want)
			}
		}
	}
}

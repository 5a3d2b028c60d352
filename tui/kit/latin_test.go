package kit

import (
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// A key is known by its place where its letter is of another script, and by its letter where that is Latin.
func TestKeysOfOtherLayouts(t *testing.T) {
	text := func(s string, base rune) tea.KeyPressMsg {
		r, _ := utf8.DecodeRuneInString(s)
		return tea.KeyPressMsg{Code: r, Text: s, BaseCode: base}
	}
	for _, c := range []struct {
		key  tea.KeyPressMsg
		want string
	}{
		{text("ы", 0), "s"},
		{text("Ы", 0), "S"},
		{text("і", 0), "s"},
		{text("э", 0), "'"},
		{text("Ж", 0), ":"},
		{text("ъ", 0), "]"},
		{text("ё", 0), "`"},
		{text("σ", 's'), "s"},
		{text("Σ", 's'), "S"},
		{text("a", 'q'), "a"}, // AZERTY
		{text("?", '7'), "?"},
		{text("語", 0), "語"},
		{text("ab", 0), "ab"},
		{tea.KeyPressMsg{Code: 'с', Mod: tea.ModCtrl, BaseCode: 'c'}, "ctrl+c"},
		{tea.KeyPressMsg{Code: 'с', Mod: tea.ModCtrl}, "ctrl+c"},
		{tea.KeyPressMsg{Code: 'q', Mod: tea.ModCtrl, BaseCode: 'a'}, "ctrl+q"},
		{tea.KeyPressMsg{Code: tea.KeyEnter}, "enter"},
		{tea.KeyPressMsg{Code: tea.KeyF1}, "f1"},
	} {
		if got := LatinKey(c.key).String(); got != c.want {
			t.Errorf("%q is %q, want %q", c.key, got, c.want)
		}
		if got := LatinChord(c.key); got.Text != c.key.Text || c.key.Text == "" && got.String() != c.want {
			t.Errorf("%q is %q while text is written", c.key, got)
		}
	}

	if n := utf8.RuneCountInString(cyrillicKeys); n != utf8.RuneCountInString(latinKeys) ||
		n != utf8.RuneCountInString(shiftedKeys) {
		t.Error("the layouts have different numbers of keys")
	}
}

package kit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// The letters of the Cyrillic layouts, and the keys at the same places of a Latin keyboard. Where layouts differ, the
// letters do, too.
const (
	cyrillicKeys = "йцукенгшщзхъфывапролджэячсмитьбюё" + "іїєўґ"
	latinKeys    = "qwertyuiop[]asdfghjkl;'zxcvbnm,.`" + "s]'o\\"
	shiftedKeys  = "QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>~" + "S}\"O|"
)

// latin returns the key of a Latin keyboard at the place of a letter, 0 if it is not known.
func latin(letter, base rune) rune {
	isUpper := unicode.IsUpper(letter)
	if base > 0 && base < utf8.RuneSelf {
		if isUpper {
			return unicode.ToUpper(base)
		}
		return base
	}

	keys := []rune(latinKeys)
	if isUpper {
		keys = []rune(shiftedKeys)
	}
	before, _, found := strings.Cut(cyrillicKeys, string(unicode.ToLower(letter)))
	if !found {
		return 0
	}

	return keys[utf8.RuneCountInString(before)]
}

// LatinKey returns the key as a Latin layout has it, for keys that are commands. A key that is a letter of another
// script is the one at its place: what the terminal says of it, or that of the Cyrillic layouts. A Latin letter is
// itself wherever it is on the keyboard.
func LatinKey(key tea.KeyPressMsg) tea.KeyPressMsg {
	letter, size := utf8.DecodeRuneInString(key.Text)
	if key.Text == "" {
		letter = key.Code
	}
	base := key.BaseCode
	key.BaseCode = 0 // Bubble Tea would name the key by its place, also for Latin layouts such as AZERTY
	if letter < utf8.RuneSelf || len(key.Text) > size || letter >= tea.KeyExtended {
		return key
	}

	at := latin(letter, base)
	if at == 0 {
		return key
	}
	key.Code = at
	if key.Text != "" {
		key.Text = string(at)
	}

	return key
}

// LatinChord is LatinKey where letters are text: only what is held with ctrl or alt is a command.
func LatinChord(key tea.KeyPressMsg) tea.KeyPressMsg {
	if key.Text == "" {
		return LatinKey(key)
	}
	key.BaseCode = 0
	return key
}

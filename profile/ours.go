package profile

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// HoldsOnly reports whether a composer's text is text, or the end of it where the
// composer shows no more, and nothing besides. Only letters and digits of ASCII are
// compared: terminals and programs draw the rest in ways of their own.
func HoldsOnly(composer, text string) bool {
	composer = plain(composer)
	return composer != "" && strings.HasSuffix(plain(text), composer)
}

// CollapsedOnly reports whether nothing stands in the composer besides what the
// program shows in place of one long paste.
func (p *Profile) CollapsedOnly(composer string) bool {
	if p.paste == nil {
		return false
	}
	at := p.paste.FindStringIndex(composer)
	if at == nil {
		return false
	}
	rest := composer[at[1]:]
	if !strings.HasSuffix(composer[:at[1]], "]") { // the marker is of the beginning alone
		_, rest, _ = strings.Cut(rest, "]")
	}
	return plain(composer[:at[0]]+rest) == ""
}

func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, norm.NFKD.String(s)) // some programs compose letters and their marks anew
}

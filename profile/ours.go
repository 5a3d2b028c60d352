package profile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

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

// measures matches the numbers in what is shown in place of a paste; one behind '#' is
// that of the paste.
var measures = regexp.MustCompile(`#?\d+`)

// Measures reports whether what a composer shows in place of a paste says that it is
// as long as text, in characters or lines, or in line breaks.
func Measures(placeholder, text string) bool {
	breaks := strings.Count(text, "\n")
	lengths := []int{breaks, breaks + 1, utf8.RuneCountInString(text), len(text)}
	return slices.ContainsFunc(measures.FindAllString(placeholder, -1), func(number string) bool {
		n, err := strconv.Atoi(number)
		return err == nil && slices.Contains(lengths, n)
	})
}

func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return -1
	}, norm.NFKD.String(s)) // some programs compose letters and their marks anew
}

// ours matches a message as parley types it, from its header to the end of its
// footer, however it is wrapped.
var ours = regexp.MustCompile(
	`(?s)^\s*\[(?:AGENT\s+[0-9a-f]{8}|GUARDIAN\s+GUIDANCE|PARLEY)\b.*\bmsg\s+[0-9a-f]{8}\b[^)]*\)[\s\x{200b}]*$`,
)

// oursEnd matches what is left of one whose beginning is not shown.
var oursEnd = regexp.MustCompile(`(?s)\([^()]*\bmsg\s+[0-9a-f]{8}\b[^)]*\)[\s\x{200b}]*$`)

// withoutOurs takes the rows of a composer that holds a message of ours, from its
// beginning to its end, off a screen. Where menus lie over the composer nothing is
// taken: it could be of them.
func (p *Profile) withoutOurs(lines []string) []string {
	if p.composer == nil || p.Markers.Cursor {
		return lines
	}
	screen := strings.Join(trimmed(lines), "\n") + "\n"
	at, _, cut := p.lastComposer(screen)
	if at == nil || !ours.MatchString(screen[at[0]:at[1]]) && !(cut && oursEnd.MatchString(screen[at[0]:at[1]])) {
		return lines
	}
	return strings.Split(screen[:at[0]]+"\n"+screen[at[1]:], "\n")
}

package conversation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// said is a text taken apart.
type said struct {
	lower   string
	asking  []string // the sentences that ask
	opening string   // the text from its first word on
	words   []string // see wordsOf
}

func hear(text string) *said {
	s := &said{lower: strings.ToLower(text)}
	s.asking = slices.DeleteFunc(sentences(s.lower), func(sentence string) bool { return !asks(sentence) })
	s.opening = strings.TrimLeft(s.lower, " \t\n@")
	s.words = wordsOf(s.lower)
	return s
}

// Mentions reports whether text has @name, in any case, as a word of its own.
func Mentions(text, name string) bool { return hear(text).mentions(name) }

func (s *said) mentions(name string) bool {
	return name != "" && hasWord(s.lower, "@"+strings.ToLower(name))
}

// AsksDirectly reports whether text names the agent and asks: one sentence does
// both, or the text begins with the name and asks later.
func AsksDirectly(text, name string) bool { return hear(text).asks(name) }

func (s *said) asks(name string) bool {
	if name == "" || len(s.asking) == 0 {
		return false
	}
	name = strings.ToLower(name)
	if after, found := strings.CutPrefix(s.opening, name); found && endsName(after) {
		return true
	}
	return slices.ContainsFunc(s.asking, func(sentence string) bool { return hasWord(sentence, name) })
}

// IsQuestion reports whether a sentence of text asks.
func IsQuestion(text string) bool { return len(hear(text).asking) > 0 }

// Acknowledges reports whether text has a word of thanks or consent.
func Acknowledges(text string) bool { return hear(text).consents() }

func (s *said) consents() bool {
	return slices.ContainsFunc(acknowledgements, func(a string) bool { return hasWord(s.lower, a) })
}

// signals lists the conclusion phrases in the text.
func (s *said) signals() (found []string) {
	for _, phrase := range conclusionPhrases {
		if strings.Contains(s.lower, phrase) {
			found = append(found, phrase)
		}
	}
	return found
}

// hasWord reports whether word stands in text with nothing on either side that could
// belong to a name. Both are in lower case.
func hasWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if !inName(before) && endsName(text[i+len(word):]) {
			return true
		}
		from = i + 1
	}
}

// endsName reports whether a name before rest ends there.
func endsName(rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return !inName(next)
}

func inName(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_')
}

const (
	questionMarks = "?？؟"
	wideStops     = "？！。" // end a sentence without a space after them
	stops         = ".!?؟" + wideStops
	closers       = `)]"'”’»*_` + "`"
)

// sentences cuts text at the ends of lines and after a stop with space behind it, so
// that neither a URL nor a version number ends one.
func sentences(text string) (found []string) {
	begin := 0
	cut := func(end int) {
		if s := strings.TrimSpace(text[begin:end]); s != "" {
			found = append(found, s)
		}
		begin = end
	}

	for i, r := range text {
		end := i + utf8.RuneLen(r)
		switch {
		case r == '\n', strings.ContainsRune(wideStops, r):
			cut(end)
		case strings.ContainsRune(stops, r):
			rest := strings.TrimLeft(text[end:], closers)
			if next, _ := utf8.DecodeRuneInString(rest); rest == "" || unicode.IsSpace(next) {
				cut(len(text) - len(rest))
			}
		}
	}

	cut(len(text))

	return found
}

// asks reports whether a sentence ends with a question mark.
func asks(sentence string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(sentence, "!."+closers))
	return strings.ContainsRune(questionMarks, last)
}

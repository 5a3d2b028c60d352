package conversation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// parsedText is a text with its parts, in lower case.
type parsedText struct {
	lower     string          // the whole text
	questions []string        // the sentences that end with a question mark
	opening   string          // the text from its first word
	words     []string        // see wordsOf
	has       map[string]bool // the same words
}

func parseText(text string) *parsedText {
	t := &parsedText{lower: strings.ToLower(text)}
	t.questions = slices.DeleteFunc(sentences(t.lower), func(sentence string) bool { return !isQuestion(sentence) })
	t.opening = strings.TrimLeft(t.lower, " \t\n@")
	t.words, t.has = wordsOf(t.lower), map[string]bool{}
	for _, w := range t.words {
		t.has[w] = true
	}
	return t
}

// mentions reports whether the text has @name, in any case, as a word.
func (t *parsedText) mentions(name string) bool {
	return name != "" && hasWord(t.lower, "@"+strings.ToLower(name))
}

// asks reports whether the text asks the agent: one sentence has the name and is a
// question, or the text begins with the name and has a question later.
func (t *parsedText) asks(name string) bool {
	if name == "" || len(t.questions) == 0 {
		return false
	}
	name = strings.ToLower(name)
	if after, found := strings.CutPrefix(t.opening, name); found && endsName(after) {
		return true
	}
	return slices.ContainsFunc(t.questions, func(sentence string) bool { return hasWord(sentence, name) })
}

// acknowledges reports whether the text has a word of thanks or consent.
func (t *parsedText) acknowledges() bool {
	return slices.ContainsFunc(acknowledgements, func(a string) bool { return hasWord(t.lower, a) })
}

// Concludes reports whether a text has a conclusion phrase.
func Concludes(text string) bool { return len(parseText(text).signals()) > 0 }

// signals lists the conclusion phrases in the text.
func (t *parsedText) signals() (found []string) {
	for _, phrase := range conclusionPhrases {
		if strings.Contains(t.lower, phrase) {
			found = append(found, phrase)
		}
	}
	return found
}

// hasWord reports whether word stands in text and no character of a name stands next to
// it. Both must be in lower case.
func hasWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		if !isNameRune(before) && endsName(text[i+len(word):]) {
			return true
		}
		from = i + 1
	}
}

// endsName reports whether a name that stands before rest is complete.
func endsName(rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	return !isNameRune(next)
}

func isNameRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_')
}

const (
	questionMarks = "?？؟"
	wideStops     = "？！。" // end a sentence without a space after them
	stops         = ".!?؟" + wideStops
	closers       = `)]"'”’»*_` + "`"
)

// sentences splits text at line ends, and after a stop that space follows, so that
// neither a URL nor a version number ends a sentence.
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

// isQuestion reports whether a sentence ends with a question mark.
func isQuestion(sentence string) bool {
	last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(sentence, "!."+closers))
	return strings.ContainsRune(questionMarks, last)
}

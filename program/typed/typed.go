// Package typed finds what parley has typed: on the screens of programs, in their transcripts and reports, and in what
// people quote.
package typed

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/plain"
)

// Message is one that was found in a text, as its header and footer tell it.
type Message struct {
	Kind        parley.MessageKind // direct, broadcast, thread, steering or notice
	SenderID    string             // short; "" for guidance and parley's own notices
	RecipientID string             // short; of a direct message
	ThreadID    string             // short; of a thread's post
	ThreadTitle string
	Guidance    string // STUCK and the like
	Text        string // between header and footer
	Sender      string // the name in the footer; "" with a short footer
	ID          string // short; "" when no footer follows
	Seal        string // in the footer; "" if there is none
}

// The one expression of a header. Terminals wrap: where a space stands, a line may break.
const headerForm = `\[(?:` +
	`AGENT\s+([0-9a-f]{8})\s+(?:TO\s+AGENT\s+([0-9a-f]{8})|(BROADCAST)|IN\s+THREAD\s+([0-9a-f]{8})\s+"([^"]*)")` +
	`|GUARDIAN\s+GUIDANCE\s+-\s+([^\]]*)` +
	`|(PARLEY)` +
	`)\]:`

// The one expression of a footer: an optional name, the mark, an optional seal, and what is expected.
const footerForm = `\((?:(\pL[\pL\pN_-]*)\s+·\s+)?msg\s+([0-9a-f]{8})\b` +
	`(?:\s+·\s+` + plain.SealWord + `\s+([a-z0-9]+))?(?:\s+·\s+[^()]*)?\)`

// They are compiled when they are first used: most commands use none.
var (
	headerAtLine = compiled(`(?m)^` + headerForm + `[ \t]?`)
	headerFirst  = compiled(`^\s*` + headerForm)
	headerIn     = compiled(headerForm)
	footerIn     = compiled(footerForm)
	footerAtLine = compiled(`(?m)` + footerForm + `[ \t]*$`)
	footerLast   = compiled(footerForm + `[\s\x{200b}]*$`)
)

// Find returns the messages of parley that stand in a text, such as a prompt that a
// program was given: each begins with a header at the beginning of a line and reaches to
// the last footer before the next header. A message whose footer is missing has no ID.
// Texts that quote a footer do not count: it has to be the last.
func Find(text string) []Message {
	heads := headerAtLine().FindAllStringSubmatchIndex(text, -1)
	found := make([]Message, len(heads))
	for i, head := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		found[i] = read(text, head, text[head[1]:end])
	}
	return found
}

// read reads a message from the submatches of its header and what follows that.
func read(text string, head []int, rest string) Message {
	part := func(n int) string {
		if head[2*n] < 0 {
			return ""
		}
		return text[head[2*n]:head[2*n+1]]
	}

	t := Message{SenderID: part(1), RecipientID: part(2), ThreadID: part(4), ThreadTitle: part(5), Guidance: part(6)}
	switch {
	case part(3) != "":
		t.Kind = parley.KindBroadcast
	case t.ThreadID != "":
		t.Kind = parley.KindThread
	case t.Guidance != "":
		t.Kind = parley.KindSteering
	case part(7) != "":
		t.Kind = parley.KindNotice
	default:
		t.Kind = parley.KindDirect
	}

	feet := slices.DeleteFunc(footerAtLine().FindAllStringSubmatchIndex(rest, -1), func(foot []int) bool {
		ends := strings.TrimSpace(rest[foot[1]:]) == "" && endsInBracket(rest[:foot[0]])
		return plain.IsQuoted(rest[:foot[0]]) && !ends
	})
	if len(feet) > 0 {
		foot := feet[len(feet)-1]
		if foot[2] >= 0 {
			t.Sender = rest[foot[2]:foot[3]]
		}
		t.ID = rest[foot[4]:foot[5]]
		if foot[6] >= 0 {
			t.Seal = rest[foot[6]:foot[7]]
		}
		rest = rest[:foot[0]]
	}
	t.Text = strings.TrimSpace(rest)

	return t
}

// Is reports whether a text is one message of parley's and nothing else, from its
// header to the end of its footer, however a terminal wraps it.
func Is(text string) bool {
	return headerFirst().MatchString(text) && footerLast().MatchString(text)
}

// Ends reports whether a text ends with the footer of a message of parley's, whose
// beginning may have scrolled away.
func Ends(text string) bool { return footerLast().MatchString(text) }

// Holds reports whether a text has a header of parley's in it and ends with a footer.
// What stands before the header may be a prompt.
func Holds(text string) bool {
	head := headerIn().FindStringIndex(text)
	return head != nil && footerLast().MatchString(text[head[1]:])
}

// Cut removes the messages of parley from a text: each from its header to its footer,
// and what stands before the first footer if the header of that has scrolled away. A footer
// that is quoted belongs to the text of a message.
func Cut(text string) string {
	var rest strings.Builder
	for {
		foot := footerOutside(text)
		if foot == nil {
			break
		}
		if head := headerOutside(text[:foot[0]]); head >= 0 {
			rest.WriteString(text[:head])
		}
		text = text[foot[1]:]
	}
	rest.WriteString(text)
	return rest.String()
}

// footerOutside returns where the first footer is that is not quoted; nil if there is none. One behind
// the bracket that ends a text seems quoted, and is not if no other follows before the next header.
func footerOutside(text string) []int {
	var seems []int
	for _, foot := range footerIn().FindAllStringIndex(text, -1) {
		before := text[:foot[0]]
		switch {
		case !plain.IsQuoted(before) && seems != nil && hasHeaderOutside(text[seems[1]:foot[0]]):
			return seems
		case !plain.IsQuoted(before):
			return foot
		case endsInBracket(before) && hasHeaderOutside(before):
			seems = foot
		}
	}
	return seems
}

// endsInBracket reports whether a text ends as "<T>" does, and not with a quote mark.
func endsInBracket(text string) bool {
	text, found := strings.CutSuffix(strings.TrimRight(text, " \t"), ">")
	return found && text != "" && strings.TrimSpace(text[len(text)-1:]) != ""
}

func hasHeaderOutside(text string) bool {
	return slices.ContainsFunc(headerIn().FindAllStringIndex(text, -1), func(head []int) bool {
		return !plain.IsQuoted(text[:head[0]])
	})
}

// headerOutside returns where the last header begins that is not quoted, or else the last one: a
// prompt can stand before it. It returns -1 if there is none.
func headerOutside(text string) int {
	heads := headerIn().FindAllStringIndex(text, -1)
	for _, head := range slices.Backward(heads) {
		if !plain.IsQuoted(text[:head[0]]) {
			return head[0]
		}
	}
	if len(heads) > 0 {
		return heads[len(heads)-1][0]
	}
	return -1
}

// Forms returns every form of a header, with example ids, as documents show them.
func Forms() []string {
	example := func(m parley.Message) string { return m.Header("87654321") }
	const from = "12345678"
	return []string{
		example(parley.Message{SenderID: from, Kind: parley.KindDirect}),
		example(parley.Message{SenderID: from, Kind: parley.KindBroadcast}),
		example(parley.Message{SenderID: from, Kind: parley.KindThread, ThreadID: "1a2b3c4d", ThreadTitle: "title"}),
		example(parley.Message{Kind: parley.KindSteering}),
		example(parley.Message{Kind: parley.KindNotice}),
	}
}

func compiled(form string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(form) })
}

package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"parley"
	"parley/plain"
)

// markdown writes a heading for each day, and for each message a paragraph, the text as a
// quotation, and a list of its deliveries.
type markdown struct {
	w    *bufio.Writer
	head Head
	day  string
}

func newMarkdown(w io.Writer, h Head) (*markdown, error) {
	m := &markdown{w: bufio.NewWriter(w), head: h}
	what := "messages"
	if h.Total == 1 {
		what = "message"
	}
	fmt.Fprintf(m.w, "# %s\n\n%d %s, written on %s.\n",
		escapeMarkdown(h.Title), h.Total, what, h.At.In(h.Zone).Format(momentForm))
	return m, nil
}

func (m *markdown) Message(msg *parley.ExportedMessage) error {
	at := msg.Timestamp.In(m.head.Zone)
	if day := at.Format(dayForm); day != m.day {
		fmt.Fprintf(m.w, "\n## %s\n", day)
		m.day = day
	}

	about := []string{"`" + parley.Short(msg.ID) + "`"}
	for _, mark := range formatMarks(msg) {
		about = append(about, escapeMarkdown(mark))
	}
	fmt.Fprintf(m.w, "\n**%s → %s** · %s · %s\n\n", escapeMarkdown(msg.Sender),
		escapeMarkdown(formatRecipients(msg)), at.Format(timeForm), strings.Join(about, " · "))

	m.text(msg.Text)
	m.w.WriteString("\n")
	for i := range msg.Deliveries {
		m.delivery(&msg.Deliveries[i])
	}

	return m.w.Flush()
}

// text writes a message's text. Code keeps its layout in a fence longer than any in it.
// Other text is quoted, and characters with a meaning in Markdown or HTML are escaped.
func (m *markdown) text(text string) {
	text = plain.Clean(text)
	lines := strings.Split(text, "\n")
	if hasCode(lines) {
		fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
		fmt.Fprintf(m.w, "%stext\n%s\n%s\n", fence, text, fence)
		return
	}

	for i, line := range lines {
		end := ""
		if i < len(lines)-1 && strings.TrimSpace(line) != "" && strings.TrimSpace(lines[i+1]) != "" {
			end = "\\" // keep the line break
		}
		m.w.WriteString(strings.TrimRight("> "+escapeMarkdown(strings.TrimSpace(line)), " ") + end + "\n")
	}
}

// hasCode reports whether lines are fenced or indented like code.
func hasCode(lines []string) bool {
	for _, line := range lines {
		if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") ||
			strings.HasPrefix(strings.TrimSpace(line), "```") {
			return true
		}
	}
	return false
}

// longestRun returns the length of the longest run of a character.
func longestRun(text string, of rune) (longest int) {
	run := 0
	for _, r := range text {
		if run++; r != of {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}

func (m *markdown) delivery(d *parley.Delivery) {
	fmt.Fprintf(m.w, "- %s %s: %s%s\n", glyphs[d.State], escapeMarkdown(d.Recipient), d.State,
		formatReason(d, escapeMarkdown))
	for _, step := range d.Steps {
		evidence := escapeMarkdown(plain.CleanLine(step.Evidence))
		if evidence != "" {
			evidence = " (" + evidence + ")"
		}
		fmt.Fprintf(m.w, "  - %s %s%s\n", step.At.In(m.head.Zone).Format(stepForm), step.State, evidence)
	}
}

func (m *markdown) Close() error { return m.w.Flush() }

// special has the characters with a meaning in Markdown, or in HTML within it. A
// backslash before one takes the meaning away.
const special = "\\`*_{}[]<>()#+-!|~&:@.$="

// escapeMarkdown returns text that Markdown shows unchanged. It leaves characters alone
// where they have no meaning, so that the file itself stays readable.
func escapeMarkdown(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		if strings.ContainsRune(special, r) &&
			(!strings.ContainsRune("().:-+.=#!{}$", r) || i == 0 || hasMeaning(runes, i)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// hasMeaning reports whether a character stands where it would make the line a list, a
// heading, a rule, a link or an address: after only digits and special characters, or
// inside a URL.
func hasMeaning(runes []rune, i int) bool {
	before := strings.TrimLeft(string(runes[:i]), "0123456789-+=#. ")
	switch {
	case before == "":
		return true
	case runes[i] == ':':
		return i+1 < len(runes) && runes[i+1] == '/'
	case runes[i] == '!':
		return i+1 < len(runes) && runes[i+1] == '['
	case runes[i] == '.':
		return strings.HasSuffix(strings.ToLower(string(runes[:i])), "www")
	}
	return false
}

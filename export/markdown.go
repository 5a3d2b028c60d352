package export

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"parley"
)

// markdown is a heading a day, a paragraph a message, its text as a quotation, and a
// list of its deliveries.
type markdown struct {
	w    *bufio.Writer
	head Head
	day  string
}

func newMarkdown(w io.Writer, h Head) (*markdown, error) {
	m := &markdown{w: bufio.NewWriter(w), head: h}
	fmt.Fprintf(
		m.w,
		"# %s\n\n%d messages, written on %s.\n",
		literal(h.Title),
		h.Total,
		h.At.In(h.Zone).Format(momentForm),
	)
	return m, nil
}

func (m *markdown) Message(msg *parley.ExportedMessage) error {
	at := msg.Timestamp.In(m.head.Zone)
	if day := at.Format(dayForm); day != m.day {
		fmt.Fprintf(m.w, "\n## %s\n", day)
		m.day = day
	}

	about := append([]string{"`" + parley.Short(msg.ID) + "`"}, marks(msg)...)
	for i := range about[1:] {
		about[i+1] = literal(about[i+1])
	}

	fmt.Fprintf(
		m.w,
		"\n**%s → %s** · %s · %s\n\n",
		literal(msg.Sender),
		literal(to(msg)),
		at.Format(timeForm),
		strings.Join(about, " · "),
	)

	m.text(msg.Text)
	m.w.WriteString("\n")
	for i := range msg.Deliveries {
		m.delivery(&msg.Deliveries[i])
	}

	return m.w.Flush()
}

// text writes what was said. Code keeps its form in a fence that is longer than any in
// it; all else is quoted, with every sign that Markdown or HTML would take for its own
// made plain.
func (m *markdown) text(text string) {
	text = parley.Clean(text)
	lines := strings.Split(text, "\n")
	if hasCode(lines) {
		fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
		fmt.Fprintf(m.w, "%stext\n%s\n%s\n", fence, text, fence)
		return
	}

	for i, line := range lines {
		end := ""
		if i < len(lines)-1 && strings.TrimSpace(line) != "" && strings.TrimSpace(lines[i+1]) != "" {
			end = "\\" // the line ends here, as it was written
		}
		m.w.WriteString(strings.TrimRight("> "+literal(strings.TrimSpace(line)), " ") + end + "\n")
	}
}

// hasCode reports whether lines are fenced or indented as code is.
func hasCode(lines []string) bool {
	for _, line := range lines {
		if strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t") ||
			strings.HasPrefix(strings.TrimSpace(line), "```") {
			return true
		}
	}
	return false
}

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
	fmt.Fprintf(m.w, "- %s %s: %s%s\n", glyphs[d.State], literal(d.Recipient), d.State, because(d, literal))
	for _, step := range d.Steps {
		evidence := literal(parley.CleanLine(step.Evidence))
		if evidence != "" {
			evidence = " (" + evidence + ")"
		}
		fmt.Fprintf(m.w, "  - %s %s%s\n", step.At.In(m.head.Zone).Format(rungForm), step.State, evidence)
	}
}

func (m *markdown) Close() error { return m.w.Flush() }

// special are the signs that mean something to Markdown, and to HTML in it. A backslash
// before each makes it a sign again.
const special = "\\`*_{}[]<>()#+-!|~&:@.$="

// literal is text that Markdown shows as it is. A sign inside a word stays as it is
// where that means nothing, so that the file is good to read too.
func literal(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		if strings.ContainsRune(special, r) &&
			(!strings.ContainsRune("().:-+.=#!{}$", r) || i == 0 || leads(runes, i)) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// leads reports whether a sign stands where it would make a list, a heading, a rule, a
// link or an address of the line: after nothing but digits or signs, or at the joint of a URL.
func leads(runes []rune, i int) bool {
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

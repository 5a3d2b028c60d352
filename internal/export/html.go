package export

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"time"

	"parley"
	"parley/plain"
)

// The page's style and script. The page's policy names them by their hashes.
var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// page writes one HTML file that needs no other. Its policy lets a browser load nothing,
// and use only the page's own script and style, even if foreign markup got into it.
type page struct {
	w    *bufio.Writer
	head Head
	day  string
}

func newPage(w io.Writer, h Head) (*page, error) {
	p := &page{w: bufio.NewWriter(w), head: h}
	policy := fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'",
		digest(style), digest(script))
	fmt.Fprintf(p.w, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%s</title>
<style>%s</style>
</head>
<body>
<header>
<h1>%s</h1>
<p>%d messages, written on <time datetime="%s">%s</time></p>
<p id="find" hidden><label>Search <input id="words" type="search" autocomplete="off"
 placeholder="words, names, states"></label> <output id="found"></output></p>
</header>
<main>
`, policy, escapeHTML(h.Title), style, escapeHTML(h.Title), h.Total,
		h.At.UTC().Format(time.RFC3339), h.At.In(h.Zone).Format(momentForm))

	return p, p.w.Flush()
}

// digest returns the name of a style or a script in a policy.
func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// escapeHTML returns text that is safe in the page and in attributes in double quotes.
func escapeHTML(text string) string { return html.EscapeString(plain.Clean(text)) }

func (p *page) Message(m *parley.ExportedMessage) error {
	at := m.Timestamp.In(p.head.Zone)
	if day := at.Format(dayForm); day != p.day {
		fmt.Fprintf(p.w, "<h2>%s</h2>\n", day)
		p.day = day
	}

	id := escapeHTML(m.ID)
	fmt.Fprintf(p.w, "<article id=\"m-%s\">\n<p class=\"who\"><b><bdi>%s</bdi></b> → <bdi>%s</bdi> ",
		id, escapeHTML(m.Sender), escapeHTML(formatRecipients(m)))
	fmt.Fprintf(p.w, "<span class=\"about\"><time datetime=\"%s\">%s</time> <a href=\"#m-%s\">%s</a>",
		m.Timestamp.UTC().Format(time.RFC3339Nano), at.Format(timeForm), id, escapeHTML(parley.Short(m.ID)))
	for _, mark := range formatMarks(m) {
		fmt.Fprintf(p.w, " <i><bdi>%s</bdi></i>", escapeHTML(mark))
	}
	fmt.Fprintf(p.w, "</span></p>\n<div class=\"text\" dir=\"auto\">%s</div>\n", escapeHTML(m.Text))

	if len(m.Deliveries) > 0 {
		p.deliveries(m.Deliveries)
	}

	p.w.WriteString("</article>\n")

	return p.w.Flush()
}

// deliveries writes the deliveries, each with its steps folded away. Unfolding needs no
// script.
func (p *page) deliveries(ds []parley.Delivery) {
	p.w.WriteString("<ul class=\"ladder\">\n")
	for i := range ds {
		d := &ds[i]
		fmt.Fprintf(p.w, "<li><details><summary class=\"%s\"><span>%s</span> <bdi>%s</bdi>: %s%s</summary><ol>\n",
			styleOf(d.State), glyphs[d.State], escapeHTML(d.Recipient), escapeHTML(string(d.State)),
			formatReason(d, escapeHTML))
		for _, step := range d.Steps {
			fmt.Fprintf(p.w, "<li><time datetime=\"%s\">%s</time> <b>%s</b> <span>%s</span></li>\n",
				step.At.UTC().Format(time.RFC3339Nano), step.At.In(p.head.Zone).Format(stepForm),
				escapeHTML(string(step.State)), escapeHTML(plain.CleanLine(step.Evidence)))
		}

		p.w.WriteString("</ol></details></li>\n")
	}

	p.w.WriteString("</ul>\n")
}

func (p *page) Close() error {
	p.w.WriteString("</main>\n<p id=\"none\" hidden>No message has all these words.</p>\n")
	fmt.Fprintf(p.w, "<script>%s</script>\n</body>\n</html>\n", script)
	return p.w.Flush()
}

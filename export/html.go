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
)

// The page's style and script, which its policy names by what they hold.
var (
	//go:embed page.css
	style string
	//go:embed page.js
	script string
)

// page is one HTML file that needs nothing else. The policy in it lets a browser load
// nothing, run no script and take no style but the page's own, even if markup had come
// into it.
type page struct {
	w    *bufio.Writer
	head Head
	day  string
}

func newPage(w io.Writer, h Head) (*page, error) {
	p := &page{w: bufio.NewWriter(w), head: h}
	fmt.Fprintf(p.w, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'">
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
<p id="find" hidden><label>Search <input id="words" type="search" autocomplete="off" placeholder="words, names, states"></label> <output id="found"></output></p>
</header>
<main>
`, digest(style), digest(script), safe(h.Title), style, safe(h.Title), h.Total, h.At.UTC().Format(time.RFC3339), h.At.In(h.Zone).Format(momentForm))

	return p, p.w.Flush()
}

// digest is how a policy names a style or a script.
func digest(content string) string {
	sum := sha256.Sum256([]byte(content))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// safe is text in the page, and in the value of an attribute in double quotes.
func safe(text string) string { return html.EscapeString(parley.Clean(text)) }

func (p *page) Message(m *parley.ExportedMessage) error {
	at := m.Timestamp.In(p.head.Zone)
	if day := at.Format(dayForm); day != p.day {
		fmt.Fprintf(p.w, "<h2>%s</h2>\n", day)
		p.day = day
	}

	id := safe(parley.Short(m.ID))
	fmt.Fprintf(
		p.w,
		"<article id=\"m-%s\">\n<p class=\"who\"><b><bdi>%s</bdi></b> → <bdi>%s</bdi> <span class=\"about\"><time datetime=\"%s\">%s</time> <a href=\"#m-%s\">%s</a>",
		safe(
			m.ID,
		),
		safe(m.Sender),
		safe(to(m)),
		m.Timestamp.UTC().Format(time.RFC3339Nano),
		at.Format(timeForm),
		safe(m.ID),
		id,
	)

	for _, mark := range marks(m) {
		fmt.Fprintf(p.w, " <i><bdi>%s</bdi></i>", safe(mark))
	}

	fmt.Fprintf(p.w, "</span></p>\n<div class=\"text\" dir=\"auto\">%s</div>\n", safe(m.Text))
	if len(m.Deliveries) > 0 {
		p.ladder(m.Deliveries)
	}

	p.w.WriteString("</article>\n")

	return p.w.Flush()
}

// ladder shows the deliveries, and within each its rungs, which need no script to be
// unfolded.
func (p *page) ladder(ds []parley.Delivery) {
	p.w.WriteString("<ul class=\"ladder\">\n")
	for i := range ds {
		d := &ds[i]
		fmt.Fprintf(p.w, "<li><details><summary class=\"%s\"><span>%s</span> <bdi>%s</bdi>: %s%s</summary><ol>\n",
			standing(d.State), glyphs[d.State], safe(d.Recipient), safe(string(d.State)), because(d, safe))
		for _, step := range d.Steps {
			fmt.Fprintf(
				p.w,
				"<li><time datetime=\"%s\">%s</time> <b>%s</b> <span>%s</span></li>\n",
				step.At.UTC().Format(time.RFC3339Nano),
				step.At.In(p.head.Zone).
					Format(rungForm),
				safe(string(step.State)),
				safe(parley.CleanLine(step.Evidence)),
			)
		}

		p.w.WriteString("</ol></details></li>\n")
	}

	p.w.WriteString("</ul>\n")
}

func (p *page) Close() error {
	fmt.Fprintf(
		p.w,
		"</main>\n<p id=\"none\" hidden>Nothing has all these words.</p>\n<script>%s</script>\n</body>\n</html>\n",
		script,
	)
	return p.w.Flush()
}

package main

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The size of a cell, of the frame around all, and of the letters.
const (
	cellWidth  = 8.4
	cellHeight = 18
	frame      = 12
	fontSize   = 14
)

// The colours of a dark terminal.
const (
	foreground = "#d8dee6"
	background = "#15181d"
)

// palette are the sixteen colours, each with a contrast of 4.5 or more on the background
// but for black.
var palette = [16]string{"#3b424c", "#ff7b72", "#7bd88f", "#e9c46a", "#79b8ff", "#d2a8ff", "#6fd3dc", "#c9d1d9",
	"#8b949e", "#ffa198", "#a5e8b4", "#f2d793", "#a5d0ff", "#e2c5ff", "#a0e6ec", "#ffffff"}

// look is how text is shown.
type look struct {
	fore, back                                string // "" for the terminal's own
	bold, faint, italic, underlined, reversed bool
}

func draw(w io.Writer, title string, lines []string) error {
	columns := 0
	for _, line := range lines {
		columns = max(columns, ansi.StringWidth(line))
	}

	width, height := float64(columns)*cellWidth+2*frame, len(lines)*cellHeight+2*frame
	_, err := fmt.Fprintf(
		w,
		`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%d" viewBox="0 0 %s %d" role="img" font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="%d">
<title>%s</title>
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
`,
		number(width),
		height,
		number(width),
		height,
		fontSize,
		html.EscapeString(title),
		background,
	)

	var l look
	for i, line := range lines {
		if err == nil {
			err = drawLine(w, &l, line, i)
		}
	}

	if err == nil {
		_, err = io.WriteString(w, "</svg>\n")
	}

	return err
}

// drawLine draws each run of the same look. A look holds beyond the end of a line.
func drawLine(w io.Writer, l *look, line string, row int) error {
	var run strings.Builder
	column, from := 0, 0
	end := func() error {
		text := run.String()
		run.Reset()
		start := from
		from = column
		return drawRun(w, *l, text, start, column-start, row)
	}

	var state byte
	for rest := line; rest != ""; {
		seq, width, n, next := ansi.DecodeSequence(rest, state, nil)
		state, rest = next, rest[n:]
		switch {
		case strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m"):
			if err := end(); err != nil {
				return err
			}
			l.apply(seq[2 : len(seq)-1])
		case seq[0] >= 0x20 && seq[0] != 0x7f:
			run.WriteString(seq)
			column += width
		}
	}

	return end()
}

// piece is what is placed by itself: what stands in a column begins where that is,
// whatever a font makes of the letters before it.
var piece = regexp.MustCompile(`│|[^ │]+( [^ │]+)*`)

func drawRun(w io.Writer, l look, text string, column, width, row int) error {
	if width == 0 {
		return nil
	}

	fore, back := l.fore, l.back
	if l.reversed {
		fore, back = or(back, background), or(fore, foreground)
	}

	x, y := frame+float64(column)*cellWidth, frame+row*cellHeight
	if back != "" {
		if _, err := fmt.Fprintf(w, "<rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" fill=\"%s\"/>\n", number(x), y, number(float64(width)*cellWidth), cellHeight, back); err != nil {
			return err
		}
	}

	for _, at := range piece.FindAllStringIndex(text, -1) {
		part := text[at[0]:at[1]]
		x := frame + float64(column+ansi.StringWidth(text[:at[0]]))*cellWidth
		_, err := fmt.Fprintf(
			w,
			"<text x=\"%s\" y=\"%d\" textLength=\"%s\" lengthAdjust=\"spacingAndGlyphs\" fill=\"%s\"%s xml:space=\"preserve\">%s</text>\n",
			number(
				x,
			),
			y+fontSize-1,
			number(float64(ansi.StringWidth(part))*cellWidth),
			or(fore, foreground),
			l.attributes(),
			html.EscapeString(part),
		)
		if err != nil {
			return err
		}
	}

	return nil
}

func (l *look) attributes() string {
	var b strings.Builder
	for _, a := range []struct {
		is   bool
		text string
	}{{l.bold, ` font-weight="bold"`}, {l.faint, ` opacity="0.65"`}, {l.italic, ` font-style="italic"`}, {l.underlined, ` text-decoration="underline"`}} {
		if a.is {
			b.WriteString(a.text)
		}
	}
	return b.String()
}

// apply takes the parameters of a sequence of styles, as tmux writes them.
func (l *look) apply(parameters string) {
	codes := strings.FieldsFunc(parameters, func(r rune) bool { return r == ';' || r == ':' })
	if len(codes) == 0 {
		codes = []string{"0"}
	}

	for len(codes) > 0 {
		code, _ := strconv.Atoi(codes[0])
		codes = codes[1:]
		switch {
		case code == 0:
			*l = look{}
		case code == 1:
			l.bold = true
		case code == 2:
			l.faint = true
		case code == 3:
			l.italic = true
		case code == 4:
			l.underlined = true
		case code == 7:
			l.reversed = true
		case code == 22:
			l.bold, l.faint = false, false
		case code == 23:
			l.italic = false
		case code == 24:
			l.underlined = false
		case code == 27:
			l.reversed = false
		case code == 38:
			l.fore, codes = extended(codes)
		case code == 48:
			l.back, codes = extended(codes)
		case code == 39:
			l.fore = ""
		case code == 49:
			l.back = ""
		case code >= 30 && code <= 37:
			l.fore = palette[code-30]
		case code >= 40 && code <= 47:
			l.back = palette[code-40]
		case code >= 90 && code <= 97:
			l.fore = palette[code-90+8]
		case code >= 100 && code <= 107:
			l.back = palette[code-100+8]
		}
	}
}

// extended reads a colour of 256, or of three parts, and returns what follows it.
func extended(codes []string) (string, []string) {
	at := func(i int) int {
		n, _ := strconv.Atoi(codes[i])
		return min(max(n, 0), 255)
	}
	switch {
	case len(codes) >= 2 && codes[0] == "5":
		return indexed(at(1)), codes[2:]
	case len(codes) >= 4 && codes[0] == "2":
		return fmt.Sprintf("#%02x%02x%02x", at(1), at(2), at(3)), codes[4:]
	}
	return "", nil
}

// indexed is a colour of the 256 that xterm has: sixteen, a cube, and greys.
func indexed(n int) string {
	if n < len(palette) {
		return palette[n]
	}

	if n >= 232 {
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}

	step := func(n int) int {
		if n == 0 {
			return 0
		}
		return 55 + 40*n
	}

	n -= 16

	return fmt.Sprintf("#%02x%02x%02x", step(n/36), step(n/6%6), step(n%6))
}

func or(colour, otherwise string) string {
	if colour == "" {
		return otherwise
	}
	return colour
}

// number is short: pictures are kept with the source.
func number(f float64) string { return strconv.FormatFloat(float64(int(f*10+0.5))/10, 'f', -1, 64) }

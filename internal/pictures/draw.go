package main

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// The sizes of a cell, of the frame around the picture, and of the font, in pixels.
const (
	cellWidth  = 8.4
	cellHeight = 18
	frame      = 12
	fontSize   = 14
)

const fontFamily = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"

// The colours of a dark terminal.
const (
	foreground = "#d8dee6"
	background = "#15181d"
)

// palette has the sixteen colours. All except black have a contrast of 4.5 or more on the
// background.
var palette = [16]string{"#3b424c", "#ff7b72", "#7bd88f", "#e9c46a", "#79b8ff", "#d2a8ff", "#6fd3dc", "#c9d1d9",
	"#8b949e", "#ffa198", "#a5e8b4", "#f2d793", "#a5d0ff", "#e2c5ff", "#a0e6ec", "#ffffff"}

// style is the style of text.
type style struct {
	fore, back                                string // "": the terminal's default
	bold, faint, italic, underlined, reversed bool
}

// draw writes the picture of a screen.
func draw(w io.Writer, title string, lines []string) error {
	columns := 0
	for _, line := range lines {
		columns = max(columns, ansi.StringWidth(line))
	}

	width, height := float64(columns)*cellWidth+2*frame, len(lines)*cellHeight+2*frame
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]s" height="%[2]d" `+
		`viewBox="0 0 %[1]s %[2]d" role="img" font-family="%[3]s" font-size="%[4]d">
<title>%[5]s</title>
<rect width="100%%" height="100%%" rx="8" fill="%[6]s"/>
`, number(width), height, fontFamily, fontSize, html.EscapeString(title), background)

	var s style
	for i, line := range lines {
		if err == nil {
			err = drawLine(w, &s, line, i)
		}
	}

	if err == nil {
		_, err = io.WriteString(w, "</svg>\n")
	}

	return err
}

// drawLine draws each run of text with one style. A style goes on after the end of a line.
func drawLine(w io.Writer, s *style, line string, row int) error {
	var run strings.Builder
	column, from := 0, 0
	end := func() error {
		text := run.String()
		run.Reset()
		start := from
		from = column
		return drawRun(w, *s, text, start, column-start, row)
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
			s.apply(seq[2 : len(seq)-1])
		case seq[0] >= 0x20 && seq[0] != 0x7f:
			run.WriteString(seq)
			column += width
		}
	}

	return end()
}

// piece matches the parts of a run that are placed by themselves, so that each begins in
// its column, however wide the font's letters before it are.
var piece = regexp.MustCompile(`│|[^ │]+( [^ │]+)*`)

func drawRun(w io.Writer, s style, text string, column, width, row int) error {
	if width == 0 {
		return nil
	}

	fore, back := s.fore, s.back
	if s.reversed {
		fore, back = cmp.Or(back, background), cmp.Or(fore, foreground)
	}

	x, y := frame+float64(column)*cellWidth, frame+row*cellHeight
	if back != "" {
		_, err := fmt.Fprintf(w, "<rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" fill=\"%s\"/>\n",
			number(x), y, number(float64(width)*cellWidth), cellHeight, back)
		if err != nil {
			return err
		}
	}

	for _, at := range piece.FindAllStringIndex(text, -1) {
		part := text[at[0]:at[1]]
		x := frame + float64(column+ansi.StringWidth(text[:at[0]]))*cellWidth
		_, err := fmt.Fprintf(w, "<text x=\"%s\" y=\"%d\" textLength=\"%s\" lengthAdjust=\"spacingAndGlyphs\" "+
			"fill=\"%s\"%s xml:space=\"preserve\">%s</text>\n",
			number(x), y+fontSize-1, number(float64(ansi.StringWidth(part))*cellWidth),
			cmp.Or(fore, foreground), s.attributes(), html.EscapeString(part))
		if err != nil {
			return err
		}
	}

	return nil
}

// attributes returns the style as attributes of a text element.
func (s *style) attributes() string {
	var b strings.Builder
	for _, a := range []struct {
		set  bool
		text string
	}{
		{s.bold, ` font-weight="bold"`}, {s.faint, ` opacity="0.65"`},
		{s.italic, ` font-style="italic"`}, {s.underlined, ` text-decoration="underline"`},
	} {
		if a.set {
			b.WriteString(a.text)
		}
	}
	return b.String()
}

// apply changes the style by the parameters of an SGR sequence, as tmux writes them.
func (s *style) apply(parameters string) {
	codes := strings.FieldsFunc(parameters, func(r rune) bool { return r == ';' || r == ':' })
	if len(codes) == 0 {
		codes = []string{"0"}
	}

	for len(codes) > 0 {
		code, _ := strconv.Atoi(codes[0])
		codes = codes[1:]
		switch {
		case code == 0:
			*s = style{}
		case code == 1:
			s.bold = true
		case code == 2:
			s.faint = true
		case code == 3:
			s.italic = true
		case code == 4:
			s.underlined = true
		case code == 7:
			s.reversed = true
		case code == 22:
			s.bold, s.faint = false, false
		case code == 23:
			s.italic = false
		case code == 24:
			s.underlined = false
		case code == 27:
			s.reversed = false
		case code == 38:
			s.fore, codes = extended(codes)
		case code == 48:
			s.back, codes = extended(codes)
		case code == 39:
			s.fore = ""
		case code == 49:
			s.back = ""
		case code >= 30 && code <= 37:
			s.fore = palette[code-30]
		case code >= 40 && code <= 47:
			s.back = palette[code-40]
		case code >= 90 && code <= 97:
			s.fore = palette[code-90+8]
		case code >= 100 && code <= 107:
			s.back = palette[code-100+8]
		}
	}
}

// extended parses a colour of the palette of 256, or of three parts, and returns the codes
// after it.
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

// indexed returns one of xterm's 256 colours: sixteen, a cube, and greys.
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

// number formats a number with at most one decimal: the pictures are kept with the source.
func number(f float64) string { return strconv.FormatFloat(float64(int(f*10+0.5))/10, 'f', -1, 64) }

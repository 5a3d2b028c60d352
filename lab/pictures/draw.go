package main

import (
	"fmt"
	"html"
	"image/color"
	"regexp"
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
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

// draw returns the picture of a screen.
func draw(title, screen string) string {
	var b strings.Builder
	text := uv.NewStyledString(screen)
	cells := uv.NewScreenBuffer(text.UnicodeWidth(), text.Height())
	cells.Method = ansi.GraphemeWidth
	text.Draw(cells, cells.Bounds())

	width, height := float64(cells.Width())*cellWidth+2*frame, cells.Height()*cellHeight+2*frame
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]s" height="%[2]d" `+
		`viewBox="0 0 %[1]s %[2]d" role="img" font-family="%[3]s" font-size="%[4]d">
<title>%[5]s</title>
<rect width="100%%" height="100%%" rx="8" fill="%[6]s"/>
`, number(width), height, fontFamily, fontSize, html.EscapeString(title), background)

	for row, line := range cells.Lines {
		for from, to := 0, 0; from < len(line); from = to {
			// The second cell of a wide character has no width and no style.
			for to < len(line) && (line[to].Width == 0 || line[to].Style.Equal(&line[from].Style)) {
				to++
			}
			drawRun(&b, line[from:to], from, row)
		}
	}

	b.WriteString("</svg>\n")

	return b.String()
}

// piece matches the parts of a run that are placed by themselves, so that each begins in
// its column, however wide the font's letters before it are.
var piece = regexp.MustCompile(`│|[^ │]+( [^ │]+)*`)

// drawRun draws cells of one style.
func drawRun(b *strings.Builder, cells uv.Line, column, row int) {
	text := ""
	for _, c := range cells {
		text += c.Content
	}

	s := cells[0].Style
	fore, back := hex(s.Fg, foreground), hex(s.Bg, background)
	if s.Attrs&uv.AttrReverse != 0 {
		fore, back = back, fore
	}

	x, y := frame+float64(column)*cellWidth, frame+row*cellHeight
	if back != background {
		fmt.Fprintf(b, "<rect x=\"%s\" y=\"%d\" width=\"%s\" height=\"%d\" fill=\"%s\"/>\n",
			number(x), y, number(float64(len(cells))*cellWidth), cellHeight, back)
	}

	for _, at := range piece.FindAllStringIndex(text, -1) {
		part := text[at[0]:at[1]]
		fmt.Fprintf(b, "<text x=\"%s\" y=\"%d\" textLength=\"%s\" lengthAdjust=\"spacingAndGlyphs\" "+
			"fill=\"%s\"%s xml:space=\"preserve\">%s</text>\n",
			number(x+float64(ansi.StringWidth(text[:at[0]]))*cellWidth), y+fontSize-1,
			number(float64(ansi.StringWidth(part))*cellWidth), fore, attributes(s), html.EscapeString(part))
	}
}

// attributes returns a style as attributes of a text element.
func attributes(s uv.Style) (text string) {
	if s.Attrs&uv.AttrBold != 0 {
		text += ` font-weight="bold"`
	}
	if s.Attrs&uv.AttrFaint != 0 {
		text += ` opacity="0.65"`
	}
	if s.Attrs&uv.AttrItalic != 0 {
		text += ` font-style="italic"`
	}
	if s.Underline != uv.UnderlineNone {
		text += ` text-decoration="underline"`
	}
	return text
}

// hex returns a colour, which is the terminal's if the screen names none.
func hex(c color.Color, usual string) string {
	switch c := c.(type) {
	case nil:
		return usual
	case ansi.BasicColor:
		return palette[c]
	case ansi.IndexedColor:
		if int(c) < len(palette) {
			return palette[c]
		}
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

// number formats a number with at most one decimal: the pictures are kept with the source.
func number(f float64) string { return strconv.FormatFloat(float64(int(f*10+0.5))/10, 'f', -1, 64) }

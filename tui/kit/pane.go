package kit

// Pane is a text that scrolls.
type Pane struct{ Top, Height int }

// Move scrolls.
func (p *Pane) Move(by Motion) { p.Top += by.Lines(p.Height) }

// Settle keeps the scrolling within so many lines.
func (p *Pane) Settle(lines int) { p.Top = Clamp(p.Top, 0, max(0, lines-p.Height)) }

// Note returns what the title adds: how many of so many lines follow.
func (p *Pane) Note(lines int) string {
	if more := lines - p.Top - p.Height; more > 0 {
		return Plural(more, "more line")
	}
	if p.Top > 0 {
		return "end"
	}
	return ""
}

// View draws the lines in view below a title.
func (p *Pane) View(title string, lines []string) []string {
	return Clip(append([]string{title}, lines[Clamp(p.Top, 0, len(lines)):]...), p.Height+1)
}

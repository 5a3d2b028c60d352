package tui

// pane is a text that scrolls.
type pane struct{ top, height int }

func (p *pane) move(by motion) { p.top += by.lines(p.height) }

// settle keeps the scrolling within so many lines.
func (p *pane) settle(lines int) { p.top = clamp(p.top, 0, max(0, lines-p.height)) }

// note returns what the title adds: how many of so many lines follow.
func (p *pane) note(lines int) string {
	if more := lines - p.top - p.height; more > 0 {
		return plural(more, "more line")
	}
	if p.top > 0 {
		return "end"
	}
	return ""
}

// view draws the lines in view below a title.
func (p *pane) view(title string, lines []string) []string {
	return clip(append([]string{title}, lines[clamp(p.top, 0, len(lines)):]...), p.height+1)
}

package orchestrator

import (
	"slices"
	"strings"
	"sync"

	"parley"
	"parley/orchestrator/team"
)

// pageLines is how many lines of what a model wrote are kept: what read_terminal can
// show of a terminal's history is no more.
const pageLines = 2000

// page is what a responder's model wrote, as a screen shows it. It is in memory only.
type page struct {
	asking int // calls to the model under way; under the member's changing

	mu     sync.Mutex
	past   []string
	active []*writing
}

// pages are those of all responders, by their ids.
type pages struct {
	mu sync.Mutex
	of map[string]*page
}

func (p *pages) find(m *team.Member) *page {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = map[string]*page{}
	}
	if p.of[m.ID] == nil {
		p.of[m.ID] = &page{}
	}
	return p.of[m.ID]
}

// writing is an answer that is being written.
type writing struct {
	page *page
	head []string
	text string
}

// begin opens an answer.
func (p *page) begin(to string, msg *parley.Message) *writing {
	w := &writing{page: p, head: append(strings.Split(to+" ("+parley.Short(msg.ID)+"): "+msg.Text, "\n"), "")}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.active = append(p.active, w)
	return w
}

// write shows what is written so far.
func (w *writing) write(text string) {
	w.page.mu.Lock()
	defer w.page.mu.Unlock()
	w.text = text
}

// end keeps an answer, or why there is none.
func (p *page) end(w *writing, text string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if w.text = text; err != nil {
		w.text = "[" + noAnswer + err.Error() + "]"
	}
	p.active = slices.DeleteFunc(p.active, func(other *writing) bool { return other == w })
	p.past = append(p.past, append(w.lines(), "")...)
	p.past = slices.Clone(p.past[max(0, len(p.past)-pageLines):])
}

func (w *writing) lines() []string {
	return append(slices.Clone(w.head), strings.Split(parley.Clean(w.text), "\n")...)
}

// show returns the last lines.
func (p *page) show(n int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	lines := slices.Clone(p.past)
	for _, w := range p.active {
		lines = append(lines, append(w.lines(), "")...)
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines[max(0, len(lines)-n):]
}

// A responder's page is as large as the terminals of launched agents are.
const (
	pageWidth  = 200
	pageHeight = 50
)

// readPage is ReadTerminal for a responder.
func (o *Orchestrator) readPage(m *team.Member, history int) *parley.ReadTerminalResult {
	return &parley.ReadTerminalResult{
		Answer:  parley.OK,
		AgentID: m.ID,
		Name:    m.Name,
		Lines:   filled(o.pages.find(m).show(pageHeight + history)),
		Width:   pageWidth,
		Height:  pageHeight,
		At:      o.now(),
	}
}

// begins and ends count the calls to the model; the caller holds the member's changing.
// They report whether it is the first, and the last, at a time.
func (p *page) begins() bool {
	p.asking++
	return p.asking == 1
}

func (p *page) ends() bool {
	p.asking--
	return p.asking == 0
}

package review

import tea "charm.land/bubbletea/v2"

// reading lets git look at one thing at a time, also while a key is held: what is asked for meanwhile is read once,
// when the answer has come.
type reading struct {
	going bool
	next  tea.Cmd // what was asked for last; nil for nothing
}

// ask returns the command to run now, nil while another one runs.
func (r *reading) ask(cmd tea.Cmd) tea.Cmd {
	if r.going {
		r.next = cmd
		return nil
	}
	r.going = true
	return cmd
}

// came returns the command to run once the answer to the last has come.
func (r *reading) came() tea.Cmd {
	cmd := r.next
	r.next, r.going = nil, cmd != nil
	return cmd
}

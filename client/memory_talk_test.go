package client_test

import "parley"

// talk is what was done to a conversation, by its id.
type talk struct {
	muted bool
}

// link gives a letter its place in a chain.
func (m *memory) link(l *letter) {
	given, was := m.given[l.SenderID]
	switch {
	case l.SenderID == m.boss.ID:
		l.ChainID, l.Hop = l.ID, 0
	case l.ChainID != "": // a reply
	case was && given.ChainID != "":
		l.ChainID, l.Hop = given.ChainID, given.Hop+1
	default:
		l.ChainID, l.Hop = l.ID, 1
	}
}

var _ = parley.ActionMute

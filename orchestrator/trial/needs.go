package trial

import (
	"fmt"
	"slices"

	"parley"
	"parley/internal/sh"
	"parley/program/profile"
)

// kind returns what an untried or misread program needs, "" for one that was checked and is read.
func (n *newer) kind() parley.NeedKind {
	switch {
	case n.known && n.result.Misread():
		return parley.NeedMisread
	case n.known && n.result.Tried() || !profile.IsNewer(n.version, n.Tested):
		return ""
	}
	return parley.NeedUntried
}

// list returns the programs that need the operator, and that were not dismissed, with what is known of them now.
func (ps *Programs) list() (list []newer) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	for _, n := range ps.newer {
		n.result, n.known = Of(ps.dir, n.Name, n.version)
		if kind := n.kind(); kind != "" && !isDismissed(ps.dir, n.Name, n.version, kind) {
			list = append(list, n)
		}
	}
	return list
}

// Needs returns a need for each program and version that was not tried, or that parley misreads.
func (ps *Programs) Needs() (needs []parley.Need) {
	for _, n := range ps.list() {
		needs = append(needs, ps.need(&n))
	}
	return needs
}

func (ps *Programs) need(n *newer) parley.Need {
	need := parley.Need{
		Kind: n.kind(), AgentID: n.agentID, Agent: n.agent, Since: n.at,
		Command: "parley profiles check " + sh.Word(n.Name),
	}
	running, failed := ps.progress(n.Name, n.version)
	if need.Kind == parley.NeedMisread {
		need.Text = fmt.Sprintf("runs %s %s, whose screen it misreads (%s): messages are typed as carefully as to "+
			"any program",
			n.Name, n.version, n.result.Words())
		need.Action = "Correct the markers of its profile in parley.yaml, and check it again. " +
			"Or let it be."
	} else {
		need.Text = fmt.Sprintf("runs %s %s, which is newer than the versions that parley was tried with", n.Name,
			n.version)
		need.Action = "That tries it, and costs no token: until then parley may misread its screen. " +
			"Or let it be."
	}

	switch {
	case running:
		need.Text += "; parley tries it now"
	case failed != "":
		need.Text += "; it could not be tried: " + failed
	case n.known && need.Kind == parley.NeedUntried:
		need.Text += "; it could not be tried: " + n.result.untried()
		need.Command += " --dir " + sh.Word(n.dir)
	}
	return need
}

// Dismiss takes all programs with a need of one kind off the list, for good. It returns how many there were.
func (ps *Programs) Dismiss(kind parley.NeedKind) (int, error) {
	list := slices.DeleteFunc(ps.list(), func(n newer) bool { return n.kind() != kind })
	for i, n := range list {
		if err := dismiss(ps.dir, n.Name, n.version, kind); err != nil {
			return i, err
		}
	}
	return len(list), nil
}

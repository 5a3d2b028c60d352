package notify

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"parley"
	"parley/plain"
)

// The bounds of a notice: parley needs has the rest.
const (
	maxNeeds    = 20  // needs in its JSON
	maxTold     = 5   // needs in its text; the others are counted
	maxQuestion = 300 // characters of a question
	maxOption   = 80  // characters of an option
	maxOptions  = 9
)

// notice puts needs into words. It has one of each matter.
func (n *Notifier) notice(needs []parley.Need, now time.Time) parley.Notice {
	notice := n.blank(now)
	var due []parley.Need
	for _, root := range parley.Roots(needs) {
		due = append(due, *root)
	}
	for i := range due[:min(len(due), maxNeeds)] {
		notice.Needs = append(notice.Needs, n.shown(&due[i]))
	}
	if n.opts.Page != "" {
		notice.URL = n.opts.Page + "/#/needs"
	}
	if len(notice.Needs) == 1 {
		notice.URL = notice.Needs[0].URL
		notice.Needs[0].Answers = n.answers(&due[0])
	}

	what := fmt.Sprintf("%d things need you", len(due))
	if len(due) == 1 {
		what = due[0].Agent + ": " + due[0].Kind.Words()
	}
	notice.Title = n.place() + ": " + what
	notice.Text = words(notice.Needs, due)

	return notice
}

// answers makes the codes that answer the dialog of a need, where that is wanted.
func (n *Notifier) answers(need *parley.Need) []parley.NoticeAnswer {
	if !n.opts.Settings.NtfyAnswers || n.opts.Code == nil || need.Dialog == nil {
		return nil
	}
	var all []parley.NoticeAnswer
	for _, o := range need.Dialog.Options[:min(len(need.Dialog.Options), maxActions)] {
		if code := n.opts.Code(need, o.Choice); code != "" {
			all = append(all, parley.NoticeAnswer{Label: plain.CleanLine(o.Label), Code: code})
		}
	}
	return all
}

// link returns the address of a need on the page, "" without one.
func (n *Notifier) link(need *parley.Need) string {
	about := about(need.MessageID, need.Agent, need.Dialog != nil)
	if n.opts.Page == "" || about == "" {
		return n.opts.Page
	}
	return n.opts.Page + "/#/needs/" + url.PathEscape(about)
}

// about returns what the page finds a need by.
func about(messageID, agent string, dialog bool) string {
	if dialog {
		return agent
	}
	return cmp.Or(messageID, agent)
}

// shown returns what a notice has of a need: with its question and the options, and without the rest of the screen.
func (n *Notifier) shown(need *parley.Need) parley.NoticeNeed {
	t := parley.NoticeNeed{
		Kind: need.Kind, Agent: need.Agent, Since: need.Since, Text: plain.CleanLine(need.Text),
		Command: need.Command, Action: plain.CleanLine(need.Action), MessageID: need.MessageID,
		URL: n.link(need),
	}
	if d := need.Dialog; d != nil {
		t.Question = plain.Truncate(plain.CleanLine(d.Question), maxQuestion)
		for _, o := range d.Options[:min(len(d.Options), maxOptions)] {
			option := o.Label
			if o.Choice != o.Label {
				option = o.Choice + ". " + o.Label
			}
			t.Options = append(t.Options, plain.Truncate(plain.CleanLine(option), maxOption))
		}
	}
	return t
}

// words has the first needs, each with its question and the command that answers it, and counts the others.
func words(needs []parley.NoticeNeed, due []parley.Need) string {
	var lines []string
	for i, need := range needs[:min(len(needs), maxTold)] {
		lines = append(lines, need.Agent+": "+need.Text)
		if asks := strings.TrimSpace(need.Question + " " + strings.Join(need.Options, " / ")); asks != "" {
			lines = append(lines, asks)
		}
		for _, step := range due[i].Steps(true) {
			lines = append(lines, "→ "+step.String())
		}
		if need.URL != "" {
			lines = append(lines, need.URL)
		}
	}
	if len(due) > maxTold {
		lines = append(lines, others(due[maxTold:]))
	}
	return strings.Join(lines, "\n")
}

// others counts needs by their kinds, the most pressing first.
func others(due []parley.Need) string {
	count := map[parley.NeedKind]int{}
	for i := range due {
		count[due[i].Kind]++
	}
	var kinds []string
	for _, k := range parley.NeedKinds() {
		if count[k] > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", count[k], k.Words()))
		}
	}
	return fmt.Sprintf("and %d more (%s): parley needs", len(due), strings.Join(kinds, ", "))
}

func (n *Notifier) testNotice() parley.Notice {
	notice := n.blank(n.opts.Now())
	notice.Test = true
	notice.Title = n.place() + ": a test"
	notice.Text = "This is how parley tells you what needs you.\n→ parley needs"
	return notice
}

func (n *Notifier) blank(now time.Time) parley.Notice {
	return parley.Notice{
		Workspace: n.opts.Workspace, Host: n.opts.Host, At: now.UTC().Truncate(time.Second),
		Needs: []parley.NoticeNeed{},
	}
}

// place names the workspace in a title.
func (n *Notifier) place() string {
	return plain.Truncate(plain.CleanLine(filepath.Base(n.opts.Workspace)), 40)
}

package notify

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"parley"
)

// maxNeeds bounds the needs in one notice: parley needs has the rest.
const maxNeeds = 20

// notice puts needs into words.
func (n *Notifier) notice(due []parley.Need, now time.Time) parley.Notice {
	notice := n.blank(now)
	for _, need := range due[:min(len(due), maxNeeds)] {
		notice.Needs = append(notice.Needs, parley.NoticeNeed{
			Kind: need.Kind, Agent: need.Agent, Since: need.Since, Text: parley.CleanLine(need.Text),
			Command: need.Command, Action: parley.CleanLine(need.Action), MessageID: need.MessageID,
		})
	}

	what := fmt.Sprintf("%d things need you", len(due))
	if len(due) == 1 {
		what = due[0].Agent + ": " + strings.ReplaceAll(string(due[0].Kind), "_", " ")
	}
	notice.Title = n.place() + ": " + what
	notice.Text = words(notice.Needs, len(due))

	return notice
}

// words has each need in one line, with the command that answers it below.
func words(needs []parley.NoticeNeed, all int) string {
	var lines []string
	for _, need := range needs {
		lines = append(lines, need.Agent+": "+need.Text, "→ "+need.Command)
	}
	if more := all - len(needs); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more: parley needs", more))
	}
	return strings.Join(lines, "\n")
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
	return parley.Truncate(parley.CleanLine(filepath.Base(n.opts.Workspace)), 40)
}

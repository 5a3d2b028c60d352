package conversation

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/must"
)

var update = flag.Bool("update", false, "write the figures of the page anew")

const (
	pageFile  = "../../docs/measured/conversations.md"
	pageBegin = "<!-- figures -->\n"
	pageEnd   = "<!-- /figures -->\n"
)

// checkPage compares the page's figures with the current ones, or writes them.
func checkPage(t *testing.T, loops []loopRuns, useful []usefulRuns) {
	t.Helper()
	page := must.Have(os.ReadFile(pageFile))(t)

	before, rest, begins := strings.Cut(string(page), pageBegin)
	got, after, ends := strings.Cut(rest, pageEnd)
	if !begins || !ends {
		t.Fatalf("%s has no %s and %s", pageFile, strings.TrimSpace(pageBegin), strings.TrimSpace(pageEnd))
	}

	want := figures(loops, useful)
	if !*update {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf(
				"the page's figures are old; go test ./orchestrator/conversation -update writes them (-want +got):\n%s",
				diff,
			)
		}
		return
	}

	must.Do(t, os.WriteFile(pageFile, []byte(before+pageBegin+want+pageEnd+after), 0o644))
}

func figures(loops []loopRuns, useful []usefulRuns) string {
	var b strings.Builder
	runs := 0
	for _, l := range loops {
		runs += l.runs
	}

	fmt.Fprintf(&b,
		"\n%d runs with the protocol: all of them came to rest. The same teams without it: all had to be stopped.\n\n",
		runs)

	b.WriteString("| teams of 2 to 50 that answer everything | runs | messages until rest: median | longest | " +
		"without the protocol, stopped at |\n| --- | ---: | ---: | ---: | ---: |\n")

	for _, l := range loops {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d |\n", l.name, l.runs, l.median, l.longest, l.without)
	}

	var messages, held int
	b.WriteString("\n| useful exchanges | messages | held |\n| --- | ---: | ---: |\n")
	for _, u := range useful {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", u.name, u.messages, u.held)
		messages += u.messages
		held += u.held
	}

	fmt.Fprintf(&b, "| **all** | **%d** | **%d** |\n\n", messages, held)

	return b.String()
}

package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"

	"github.com/rogpeppe/go-internal/testscript"
)

// The page on adopting is run word for word, with an agent in a tmux of the user's own.
func TestAdoptPageWorks(t *testing.T) {
	script := strings.Builder{}
	script.WriteString(
		"exec tmux -f /dev/null new-session -d -s work -x 100 -y 30 parley demo-agent\nuntil '^›' tmux capture-pane -p -t work\n",
	)

	tried := 0
	for _, block := range consoleBlock.FindAllStringSubmatch(documents(t)["adopt.md"], -1) {
		for line := range strings.Lines(block[1]) {
			if command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ "); ok && !interactive[command] {
				script.WriteString("exec " + strings.ReplaceAll(command, `"`, `'`) + "\n")
				tried++
			}
		}
	}

	if tried < 4 {
		t.Fatalf("the page has only %d commands to try", tried)
	}

	script.WriteString("exec tmux kill-server\n")
	file := filepath.Join(t.TempDir(), "adopt-page.txtar")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}

	params := stories(t)
	params.Dir, params.Files = "", []string{file}
	testscript.Run(t, params)
}

// changingTeam has one agent, to which every process belongs while it is there.
type changingTeam struct {
	agent   *parley.Caller
	changes int64
}

func (c *changingTeam) Operator() parley.Caller { return parley.Caller{ID: "op", Operator: true} }
func (c *changingTeam) Adoptions() int64        { return c.changes }
func (c *changingTeam) CallerOfProcess(int) (parley.Caller, bool) {
	if c.agent == nil {
		return parley.Caller{}, false
	}
	return *c.agent, true
}

// A connection that was made before an agent was adopted is the agent's afterwards.
func TestWhoCallsIsDecidedAgainAfterAnAdoption(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "pt")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)

	path := filepath.Join(dir, "s") // short: it is the path of a socket
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()

	near, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer near.Close()

	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	team := &changingTeam{}
	ctx := markPeer(team)(context.Background(), conn)
	who := func() string {
		p, ok := ctx.Value(peerKey{}).(*process)
		if !ok {
			t.Fatal("the connection was turned away")
		}
		return p.now().ID
	}

	if got := who(); got != "op" {
		t.Errorf("before: got %s, want the operator", got)
	}

	team.agent, team.changes = &parley.Caller{ID: "coder"}, 1
	if got := who(); got != "coder" {
		t.Errorf("after: got %s, want coder", got)
	}

	team.agent, team.changes = nil, 2
	if got := who(); got != "op" {
		t.Errorf("after it left: got %s, want the operator", got)
	}
}

func TestCommandLinesAreWhatAShellReads(t *testing.T) {
	got := commandLine([]string{"claude", "mcp", "add", "it's", "/a b/c", "--", "$x"})
	if want := `claude mcp add 'it'\''s' '/a b/c' -- '$x'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

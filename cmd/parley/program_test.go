package main

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"parley"

	"github.com/spf13/cobra"
)

func TestEveryCommandIsExplained(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.Hidden || sub.Name() == "help" || sub.Name() == "completion" {
				continue
			}
			if sub.Short == "" || sub.Example == "" || sub.GroupID == "" && cmd.Name() == "parley" {
				t.Errorf("%s lacks a short text, an example or a group", sub.CommandPath())
			}

			walk(sub)
		}
	}

	walk((&cli{}).root())
}

func TestSchemaOfTheTeamFileIsUpToDate(t *testing.T) {
	want, err := teamSchema()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../docs/parley.schema.json")
	if err != nil || !bytes.Equal(bytes.TrimSpace(got), want) {
		t.Errorf("docs/parley.schema.json differs (%v); write it anew: parley schema > docs/parley.schema.json", err)
	}
}

func TestEveryKeyOfTheTeamFileIsDescribed(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[team](), reflect.TypeFor[member](), reflect.TypeFor[settings](), reflect.TypeFor[screenSettings]()} {
		for i := range typ.NumField() {
			f := typ.Field(i)
			if f.Tag.Get("yaml") == "" || f.Tag.Get("doc") == "" {
				t.Errorf(
					"%s.%s: key %q, description %q, want both",
					typ.Name(),
					f.Name,
					f.Tag.Get("yaml"),
					f.Tag.Get("doc"),
				)
			}
		}
	}
}

func TestEnvironmentOverridesSettings(t *testing.T) {
	s := settings{MaxText: 5}
	s.fill()
	if err := s.overrideFrom(environ{"PARLEY_MAX_TEXT=7", "PARLEY_FOOTER=short", "PARLEY_EXPIRE_AFTER=90m", "PARLEY_HTTP_PORT=8080",
		"PARLEY_STUCK_AFTER=3m", "PARLEY_OWES_AFTER=4m", "PARLEY_AUTO_STEER=true", "PARLEY_MAX_FILE_MB=12", "PARLEY_KEY=x",
		"PARLEY_HTTP_ADDRESS=::1", "PARLEY_HTTP_HOSTS=a.example", "PARLEY_OPEN_REGISTRATION=true", "PARLEY_TRUST_LOCAL_AGENT_ID=true",
		"PARLEY_MESSAGES_PER_MINUTE=1", "PARLEY_BROADCASTS_PER_MINUTE=1000000", "PARLEY_REGISTRATIONS_PER_MINUTE=3"}); err != nil {
		t.Fatal(err)
	}

	var want settings
	want.fill()
	want.MaxText, want.Footer, want.ExpireAfter, want.HTTPPort = 7, "short", 90*time.Minute, 8080
	want.StuckAfter, want.OwesAfter, want.AutoSteer, want.MaxFileMB = 3*time.Minute, 4*time.Minute, true, 12
	want.HTTPAddress, want.HTTPHosts, want.OpenRegistration, want.TrustLocalAgentID = "::1", "a.example", true, true
	want.MessagesPerMinute, want.BroadcastsPerMinute, want.RegistrationsPerMinute = 1, 1_000_000, 3
	if s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}

	for _, entry := range []string{"PARLEY_MAX_TEXT=-1", "PARLEY_MAX_TEXT=x", "PARLEY_FOOTER=none", "PARLEY_EXPIRE_AFTER=1", "PARLEY_HTTP_PORT=70000",
		"PARLEY_FOOTER=short\nmax_text: 9", "PARLEY_STUCK_AFTER=1ms", "PARLEY_OWES_AFTER=-1m", "PARLEY_AUTO_STEER=maybe", "PARLEY_MAX_FILE_MB=0", "PARLEY_MAX_FILE_MB=10001",
		"PARLEY_HTTP_ADDRESS=localhost", "PARLEY_OPEN_REGISTRATION=some", "PARLEY_MESSAGES_PER_MINUTE=-1", "PARLEY_BROADCASTS_PER_MINUTE=0",
		"PARLEY_REGISTRATIONS_PER_MINUTE=1000001"} {
		before := s
		err := s.overrideFrom(environ{entry})
		if parley.ErrorCode(err) != parley.InvalidArgument || parley.AsError(err).Action == "" || s != before {
			t.Errorf("%s: got %v and %+v, want a refusal with a next step and nothing changed", entry, err, s)
		}
	}
}

func TestSizeIsColumnsAndRows(t *testing.T) {
	for size, want := range map[string][2]int{"": {}, "200x50": {200, 50}, "80x24": {80, 24}} {
		if w, h, err := parseSize(size); err != nil || [2]int{w, h} != want {
			t.Errorf("%q: got %d, %d, %v, want %v", size, w, h, err, want)
		}
	}
	for _, size := range []string{"200", "x50", "200x", "0x5", "-1x5", "80x24x2", "80x24 ", "80X24", "eighty"} {
		if _, _, err := parseSize(size); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("%q: got %v, want INVALID_ARGUMENT", size, err)
		}
	}
}

func TestTableAlignsWhatIsShown(t *testing.T) {
	var tab table
	tab.add("\x1b[1mname\x1b[0m", "state")
	tab.add("日本", "idle")
	tab.add("x", "")
	var b bytes.Buffer
	tab.print(&b)
	if got, want := b.String(), "\x1b[1mname\x1b[0m  state\n日本  idle\nx\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEventLines(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	for _, test := range []struct {
		event parley.Event
		want  string
	}{
		{parley.Event{Type: parley.EventDirectMessage, Time: at, Sender: "coder", Recipient: "planner", Preview: "two\nlines"},
			"03:04:05  coder → planner           sent         two lines"},
		{parley.Event{Type: parley.EventBroadcast, Time: at, Sender: "coder", RecipientCount: 3, Preview: "x", Priority: parley.PriorityUrgent},
			"03:04:05  coder → 3 agents          urgent       x"},
		{parley.Event{Type: parley.EventDelivery, Time: at, Sender: "coder", Recipient: "planner", MessageID: "5f0c21aa-1", State: "held", Detail: "a person scrolls"},
			"03:04:05  coder → planner           held         5f0c21aa a person scrolls"},
		{parley.Event{Type: parley.EventThreadMessage, Time: at, Sender: "coder", ThreadID: "1", Thread: "the parser", RecipientCount: 3, Preview: "x"},
			"03:04:05  coder → thread the parser  sent         x"},
		{parley.Event{Type: parley.EventThreadUpdated, Time: at, Sender: "parley", Agent: "coder", State: "joined", Preview: "coder joined"},
			"03:04:05  coder                     joined       coder joined"},
		{parley.Event{Type: parley.EventAgent, Time: at, Agent: "coder", State: "idle"},
			"03:04:05  coder                     idle"},
	} {
		if got := (&cli{}).eventLine(test.event); got != test.want {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

func TestTmuxIsToldOfTheOneAroundOnlyIfItIsTheSame(t *testing.T) {
	for socket, told := range map[string]bool{"/tmp/around": true, "/tmp/other": false} {
		c := &cli{program: program{env: environ{"PATH=" + os.Getenv("PATH"), "TMUX=/tmp/around,12,0"}}}
		cmd, err := c.tmuxCommand([]string{"tmux", "-S", socket, "attach-session"})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Contains(cmd.Env, "TMUX=/tmp/around,12,0"); got != told {
			t.Errorf("a client of %s is told: %v, want %v", socket, got, told)
		}
	}
}

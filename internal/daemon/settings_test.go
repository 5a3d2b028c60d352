package daemon

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/notify"
	"parley/internal/place"
	"parley/internal/setting"
	"parley/orchestrator/conversation"
	"parley/orchestrator/meter"
	"parley/orchestrator/settings"
)

func TestSchemaOfTheTeamFileIsUpToDate(t *testing.T) {
	want := must.Have(Schema())(t)
	got, err := os.ReadFile("../../docs/parley.schema.json")
	if err != nil || !bytes.Equal(bytes.TrimSpace(got), want) {
		t.Errorf("docs/parley.schema.json differs (%v); regenerate it with parley schema > docs/parley.schema.json",
			err)
	}
}

func TestEveryKeyOfTheTeamFileIsDescribed(t *testing.T) {
	for _, typ := range []reflect.Type{
		reflect.TypeFor[Team](), reflect.TypeFor[Agent](), reflect.TypeFor[Settings](),
		reflect.TypeFor[ScreenSettings](),
		reflect.TypeFor[AttachSettings](), reflect.TypeFor[Worktrees](),
		reflect.TypeFor[conversation.Settings](), reflect.TypeFor[Responder](),
		reflect.TypeFor[notify.Settings](), reflect.TypeFor[settings.PageSettings](),
		reflect.TypeFor[meter.Budget](), reflect.TypeFor[meter.Price](),
	} {
		for _, f := range setting.Fields(typ) {
			if !strings.HasSuffix(f.Doc, ".") {
				t.Errorf("%s: %s is described by %q, want a sentence", typ.Name(), f.Name, f.Doc)
			}
		}
	}
}

// The tables of the docs are made of the tags.
func TestSettingsPageHasEverySetting(t *testing.T) {
	for name, table := range map[string]struct {
		page string
		typ  reflect.Type
	}{
		"settings":     {"settings.md", reflect.TypeFor[Settings]()},
		"conversation": {"settings.md", reflect.TypeFor[conversation.Settings]()},
		"screen":       {"settings.md", reflect.TypeFor[ScreenSettings]()},
		"attach":       {"settings.md", reflect.TypeFor[AttachSettings]()},
		"notify":       {"settings.md", reflect.TypeFor[notify.Settings]()},
		"web":          {"settings.md", reflect.TypeFor[settings.PageSettings]()},
		"budget":       {"responders.md", reflect.TypeFor[meter.Budget]()},
	} {
		page := must.Have(os.ReadFile("../../docs/" + table.page))(t)
		_, after, _ := strings.Cut(string(page), "<!-- "+name+" -->\n")
		got, _, found := strings.Cut(after, "<!-- /"+name+" -->")
		if want := settingsTable(table.typ); !found || got != want {
			t.Errorf("docs/%s has another table of %s; put this between its marks:\n%s", table.page, name, want)
		}
	}
}

func settingsTable(t reflect.Type) string {
	var b strings.Builder
	b.WriteString("| setting and default | |\n|---|---|\n")
	for _, f := range setting.Fields(t) {
		value := f.Default
		if value == "" && f.Type.Kind() == reflect.Bool {
			value = "false"
		}
		if value != "" {
			value = ": " + value
		}
		doc := f.Doc
		if f.Enum != nil {
			doc = strings.TrimSuffix(doc, ".") + " (" + strings.Join(f.Enum, ", ") + ")."
		}
		fmt.Fprintf(&b, "| `%s%s` | %s |\n", f.Name, value, doc)
	}
	return b.String()
}

// The conversation package has its own defaults and bounds, for threads.
func TestEnvironmentOverridesSettings(t *testing.T) {
	var s Settings
	s.MaxText = 5
	setting.Fill(&s)
	if err := s.Override(Environ{"PARLEY_MAX_TEXT=7", "PARLEY_FOOTER=short", "PARLEY_EXPIRE_AFTER=90m",
		"PARLEY_HTTP_PORT=8080",
		"PARLEY_STUCK_AFTER=3m", "PARLEY_OWES_AFTER=4m", "PARLEY_AUTO_STEER=true", "PARLEY_MAX_FILE_MB=12",
		"PARLEY_KEY=x",
		"PARLEY_HTTP_ADDRESS=::1", "PARLEY_HTTP_HOSTS=a.example", "PARLEY_OPEN_REGISTRATION=true",
		"PARLEY_TRUST_LOCAL_AGENT_ID=true",
		"PARLEY_MESSAGES_PER_MINUTE=1", "PARLEY_BROADCASTS_PER_MINUTE=1000000",
		"PARLEY_REGISTRATIONS_PER_MINUTE=3"}); err != nil {
		t.Fatal(err)
	}

	var want Settings
	setting.Fill(&want)
	want.MaxText, want.Footer, want.ExpireAfter, want.HTTPPort = 7, "short", 90*time.Minute, 8080
	want.StuckAfter, want.OwesAfter, want.AutoSteer, want.MaxFileMB = 3*time.Minute, 4*time.Minute, true, 12
	want.HTTPAddress, want.HTTPHosts, want.OpenRegistration, want.TrustLocalAgentID = "::1", "a.example", true, true
	want.MessagesPerMinute, want.BroadcastsPerMinute, want.RegistrationsPerMinute = 1, 1_000_000, 3
	if s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}

	for _, entry := range []string{"PARLEY_MAX_TEXT=-1", "PARLEY_MAX_TEXT=x", "PARLEY_FOOTER=none",
		"PARLEY_EXPIRE_AFTER=1", "PARLEY_HTTP_PORT=70000",
		"PARLEY_FOOTER=short\nmax_text: 9", "PARLEY_STUCK_AFTER=1ms", "PARLEY_OWES_AFTER=-1m",
		"PARLEY_AUTO_STEER=maybe", "PARLEY_MAX_FILE_MB=0", "PARLEY_MAX_FILE_MB=10001",
		"PARLEY_HTTP_ADDRESS=localhost", "PARLEY_OPEN_REGISTRATION=some", "PARLEY_MESSAGES_PER_MINUTE=-1",
		"PARLEY_BROADCASTS_PER_MINUTE=0",
		"PARLEY_REGISTRATIONS_PER_MINUTE=1000001"} {
		before := s
		err := s.Override(Environ{entry})
		if parley.ErrorCode(err) != parley.InvalidArgument || parley.AsError(err).Action == "" || s != before {
			t.Errorf("%s: got %v and %+v, want a refusal with a next step and nothing changed", entry, err, s)
		}
	}
}

func TestSizeIsColumnsAndRows(t *testing.T) {
	for size, want := range map[string][2]int{"": {}, "200x50": {200, 50}, "80x24": {80, 24}} {
		if w, h, err := ParseSize(size); err != nil || [2]int{w, h} != want {
			t.Errorf("%q: got %d, %d, %v, want %v", size, w, h, err, want)
		}
	}
	for _, size := range []string{"200", "x50", "200x", "0x5", "-1x5", "80x24x2", "80x24 ", "80X24", "eighty"} {
		if _, _, err := ParseSize(size); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("%q: got %v, want INVALID_ARGUMENT", size, err)
		}
	}
}

func TestZeroInTheFileIsMeant(t *testing.T) {
	file := filepath.Join(t.TempDir(), "parley.yaml")
	must.Do(t, os.WriteFile(file, []byte("settings: {remind_before: 0s, backup_every: 0s}"), 0o600))
	team := must.Have(LoadTeam(file, true))(t)
	if s := team.service(); s.RemindBefore != 0 || s.BackupEvery != 0 || s.OverdueAfter == 0 || !s.Given {
		t.Errorf("got %+v, want zeros where they are given, and defaults elsewhere", s)
	}
}

// A zero in the user's own file counts in a workspace with a file and in one without.
func TestZeroInTheUsersFileIsMeant(t *testing.T) {
	home := t.TempDir()
	env := Environ{"HOME=" + home}
	own := filepath.Join(home, ".config", "parley", "parley.yaml")
	must.Do(t, os.MkdirAll(filepath.Dir(own), 0o700))
	must.Do(t, os.WriteFile(own, []byte("settings: {keep_events: 0s, backup_every: 0s, remind_before: 0s}\n"), 0o600))

	for name, text := range map[string]string{
		"no file":               "",
		"a file without any":    "screen: {mouse: true}\n",
		"a file with others":    "settings: {max_text: 500}\n",
		"a file with none left": "settings:\n",
	} {
		at := place.Locate(t.TempDir(), env)
		if text != "" {
			must.Do(t, os.WriteFile(at.TeamFile(), []byte(text), 0o600))
		}

		s := must.Have(Load(at, env))(t).Settings
		if s.KeepEvents != 0 || s.BackupEvery != 0 || s.RemindBefore != 0 || s.MaxText == 0 {
			t.Errorf("%s: got %+v, want zeros where they are given, and defaults elsewhere", name, s)
		}
	}
}

func TestScrubbedEnvironmentHasNoAgentVariables(t *testing.T) {
	env := Environ{
		"PATH=/bin",
		"PARLEY_KEY=k",
		"PARLEY_AGENT=a",
		"PARLEY_AGENT_ID=i",
		"TMUX=t",
		"TMUX_PANE=%1",
		"CLAUDECODE=1",
		"TMUX_TMPDIR=/x",
		"PARLEY_MAX_TEXT=10",
	}

	got := strings.Join(env.Scrubbed(), " ")
	if want := "PATH=/bin TMUX_TMPDIR=/x PARLEY_MAX_TEXT=10"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Every agent can read the environment of the tmux server.
func TestTmuxServerGetsNoSecrets(t *testing.T) {
	env := Environ{
		"PATH=/bin", "HOME=/home/u", "LANG=C.UTF-8", "LC_CTYPE=C.UTF-8", "TERM=xterm", "TMUX_TMPDIR=/x",
		"OPENAI_API_KEY=k",
		"ANTHROPIC_API_KEY=k", "AWS_SECRET_ACCESS_KEY=k", "PARLEY_KEY=k", "MY_TOKEN=k", "PATHOLOGY=k",
		"XDG_RUNTIME_DIR=/run",
	}

	got := strings.Join(env.ForTmux(), " ")
	want := "PATH=/bin HOME=/home/u LANG=C.UTF-8 LC_CTYPE=C.UTF-8 TERM=xterm TMUX_TMPDIR=/x XDG_RUNTIME_DIR=/run"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

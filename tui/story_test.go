package tui

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/client"
	"parley/httpapi"
	"parley/internal/must"
	"parley/internal/story"
	"parley/op"
	"parley/orchestrator"
	"parley/orchestrator/settings"
	"parley/program/profile"
	"parley/store"
	"parley/store/storetest"
	"parley/tmux/tmuxtest"
	"parley/tui/compose"
	"parley/tui/health"
	"parley/tui/kit"
	"parley/tui/room"
)

// Each story drives the screen over the orchestrator, with a database and a tmux server of its
// own. Under the race detector the packages that do the work are tested by themselves.
func TestStories(t *testing.T) {
	drawsALot(t)
	t.Parallel()
	files := must.Have(filepath.Glob("testdata/stories/*.txt"))(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			story.Play(t, file, newStoryTeam(t))
		})
	}
}

// newStoryTeam starts the orchestrator for a story.
func newStoryTeam(t *testing.T) story.Team {
	t.Helper()
	dir := t.TempDir()
	terminals := tmuxtest.Options(t)
	path := filepath.Join(dir, "parley.db")
	must.Do(t, storetest.Prepare(path))
	rows := must.Have(store.Open(t.Context(), store.Options{Path: path}))(t)
	executable := must.Have(os.Executable())(t)
	profiles := must.Have(profile.Builtin())(t)

	service := must.Have(orchestrator.New(context.Background(), orchestrator.Options{
		Store: rows, Tmux: terminals, Profiles: profiles, Workspace: dir, LaunchDir: filepath.Join(dir, "launch"),
		Executable: executable, Host: "here",
		Settings: settings.Settings{StopGrace: time.Second, Watch: 50 * time.Millisecond},
	}))(t)
	key := "the-operator"
	server := httptest.NewServer(httpapi.New(httpapi.Options{
		Service: service, Files: service.Files, Registration: true,
		SameUser: func(*http.Request) bool { return true },
		Authenticate: func(ctx context.Context, given string) (parley.Caller, bool) {
			if given == key {
				return service.Callers.Operator(), true
			}
			return service.Callers.Authenticate(ctx, given)
		},
	}))
	as := func(key string) *client.Client {
		c := client.New(client.Options{URL: server.URL, Key: key})
		t.Cleanup(c.Close)
		return c
	}

	operator := as(key)
	t.Cleanup(func() {
		ctx := parley.WithCaller(context.Background(), service.Callers.Operator())
		if _, err := op.ShutDown.Call(ctx, service, parley.ShutDownRequest{}); err != nil {
			t.Error(err)
		}
		server.CloseClientConnections()
		server.Close()
		if err := service.Close(); err != nil {
			t.Error(err)
		}
		must.Do(t, rows.Close())
	})

	return story.Team{
		Dir:      dir,
		Operator: operator,
		As:       func(key string) parley.Service { return as(key) },
		Demo:     []string{executable, demoAgent},
		Open:     func(w, h int) story.Screen { return openStoryScreen(t, operator, dir, w, h) },
	}
}

// storyScreen is the model as bubbletea runs it: commands run at once, and what they answer
// waits for the next look.
type storyScreen struct {
	t       *testing.T
	m       *model
	ctx     context.Context
	answers chan tea.Msg
	running sync.WaitGroup
	outside map[string]string // what was handed to others
}

func openStoryScreen(t *testing.T, service *client.Client, dir string, w, h int) *storyScreen {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	s := &storyScreen{t: t, ctx: ctx, answers: make(chan tea.Msg), outside: map[string]string{}}
	o := Options{
		Service:   service,
		Workspace: "/home/someone/storefront",
		Follow:    service.Events,
		Environ:   []string{"TERM=xterm-256color", "LANG=C.UTF-8"},
		Style:     Style{Mouse: true},
		Filters:   map[string]string{"coders": "to:coder"},
		Surroundings: Surroundings{
			Attach: func(name string) (*exec.Cmd, error) { return exec.Command("attach-to", name), nil },
			Export: exportTo(service, dir),
			Workspaces: func(context.Context) ([]Workspace, error) {
				return []Workspace{{Name: "box:src/api", Shown: "box:src/api", State: "1 waiting",
					Needs: "1 needs you"},
					{Name: "/home/someone/storefront", Shown: "~/storefront", State: "1 idle", Opened: true},
					{Name: "/home/someone/blog", Shown: "~/blog", State: "not running"}}, nil
			},
			Examine: func(context.Context) []health.Finding {
				return []health.Finding{{Check: "tmux", Detail: "tmux is old", Action: "Install a newer one.",
					Bad: true},
					{Check: "files", Detail: "all are there", Well: true}}
			},
		},
	}.withDefaults()

	notes := make(chan note, feedBuffer)
	s.running.Go(func() { feed(ctx, service, o.Follow, notes) })
	t.Cleanup(func() {
		stop()
		s.running.Wait()
	})

	do := newCommands(ctx, o, notes)
	do.Show = func(name string, cmd *exec.Cmd) tea.Cmd {
		s.outside["program"] = strings.Join(cmd.Args, " ")
		return func() tea.Msg { return room.ReturnedMsg{Name: name} }
	}
	do.Open = func(msg room.TextMsg) tea.Cmd {
		s.outside["editor"] = msg.Text
		return func() tea.Msg { return room.OpenedMsg{Name: msg.Name} }
	}
	do.Edit = func(d room.Draft) tea.Cmd {
		s.outside["editor"] = d.Text
		return func() tea.Msg { return compose.EditedMsg{To: d.To, Text: d.Text + ", as edited"} }
	}

	s.m = newModel(o, do)
	s.take(tea.WindowSizeMsg{Width: w, Height: h})
	s.run(s.m.Init())

	return s
}

// exportTo writes the texts of messages into files of a directory.
func exportTo(
	service parley.Service, dir string,
) func(context.Context, room.Exported, string) (int, error) {
	return func(ctx context.Context, what room.Exported, path string) (int, error) {
		request, text := parley.FindMessagesRequest{}, ""
		if what.Find != nil {
			request = *what.Find
		}
		for _, id := range what.IDs {
			res, err := op.GetMessageStatus.Call(ctx, service, parley.MessageStatusRequest{MessageID: id})
			if err != nil {
				return 0, err
			}
			text += res.Object.Text + "\n"
		}
		if what.IDs != nil {
			return len(what.IDs), os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600)
		}

		request.Limit = 100
		res, err := op.FindMessages.Call(ctx, service, request)
		if err != nil {
			return 0, err
		}

		for _, m := range res.Messages {
			text += m.Content.Text + "\n"
		}

		return len(res.Messages), os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600)
	}
}

// run runs a command beside the screen.
func (s *storyScreen) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	s.running.Go(func() {
		select {
		case s.answers <- cmd():
		case <-s.ctx.Done():
		}
	})
}

// take hands a message to the model.
func (s *storyScreen) take(msg tea.Msg) {
	switch msg := msg.(type) {
	case nil, tea.RawMsg:
	case tea.QuitMsg:
		s.outside["shell"] = cmp.Or(s.m.workspaces.chosen, "left")
	case tea.BatchMsg:
		for _, cmd := range msg {
			s.run(cmd)
		}
	default:
		if fmt.Sprintf("%T", msg) == "tea.setClipboardMsg" {
			s.outside["clipboard"] = reflect.ValueOf(msg).String()
			return
		}
		_, cmd := s.m.Update(msg)
		s.run(cmd)
	}
}

// Look takes every answer that is there, or waits for the next one for a moment.
func (s *storyScreen) Look() string {
	for first := true; ; first = false {
		moment := time.Duration(0)
		if first {
			moment = 20 * time.Millisecond
		}
		select {
		case msg := <-s.answers:
			s.take(msg)
			continue
		case <-time.After(moment):
		}
		break
	}

	l := s.m.layout
	screen := s.m.View().Content
	for i, line := range strings.Split(screen, "\n") {
		if kit.Width(line) > l.Width || i >= l.Height {
			s.t.Fatalf("line %d does not fit into %dx%d:\n%s", i, l.Width, l.Height, ansi.Strip(screen))
		}
	}

	return screen
}

func (s *storyScreen) Press(keys ...string) {
	for _, key := range keys {
		if key == "space" {
			key = " "
		}
		s.take(keyMsg(key))
	}
}

func (s *storyScreen) Type(text string) {
	for _, r := range text {
		s.take(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
}

func (s *storyScreen) Paste(text string) { s.take(tea.PasteMsg{Content: text}) }

func (s *storyScreen) Click(x, y int) {
	s.take(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	s.take(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

func (s *storyScreen) Resize(width, height int) {
	s.take(tea.WindowSizeMsg{Width: width, Height: height})
}

func (s *storyScreen) Left(to string) string { return s.outside[to] }

package terminal

import (
	"log/slog"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/team"
	"parley/store/storetest"
	"parley/tmux/tmuxtest"
)

func TestServerThatAnAgentHasJustComeToIsNotLetGo(t *testing.T) {
	t.Parallel()
	user := tmuxtest.Start(t)
	roster := must.Have(team.Load(t.Context(), storetest.Open(t), time.Now, slog.New(slog.DiscardHandler)))(t)
	ts := &Terminals{userServers: userServers{roster: roster, tmux: tmuxtest.Options(t)}}
	server, _, err := ts.userServers.use(t.Context(), user.SocketPath())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })

	m := team.NewMember(parley.Agent{ID: team.NewID(), Name: "new", Kind: parley.KindMailbox, State: parley.StateIdle})
	roster.Add(m)
	ts.userServers.mu.Lock()
	closed := make(chan error)
	go func() { closed <- ts.userServers.closeUnused(false) }()
	time.Sleep(50 * time.Millisecond) // it looks who is there, if it does that first
	m.SetTerminal(&team.Terminal{Server: server})
	ts.userServers.inUse[server] = 0
	ts.userServers.mu.Unlock()

	must.Do(t, <-closed)
	if _, err := server.Panes(t.Context()); err != nil {
		t.Errorf("the agent's tmux cannot be reached: %v", err)
	}
}

package relay

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley"
	"parley/internal/sh"
	"parley/op"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// Elsewhere sends acts to the hosts on which they are to be done.
type Elsewhere struct {
	store  *store.Store
	roster *team.Roster
	Own    string            // the name of this host
	SSH    map[string]string // where ssh reaches other hosts, by their names
}

// NewElsewhere returns what host own knows of the others. ssh has where they are reached, by their names.
func NewElsewhere(s *store.Store, r *team.Roster, own string, ssh map[string]string) *Elsewhere {
	return &Elsewhere{s, r, own, ssh}
}

// HostOf returns the host of an agent's terminal, "" for this one.
func (e *Elsewhere) HostOf(agent string) string {
	m, err := e.roster.Find(agent)
	if err != nil || e.roster.Hosts.Here(m) {
		return "" // what is done here says that there is no such agent
	}
	return m.Agent().Host
}

// Across does an act on a host: here, or by the daemon of that host, "" for this one.
func Across[Req, Res any](
	ctx context.Context, e *Elsewhere, host string, o op.Operation[Req, Res], req Req,
	here func(context.Context, Req) (*Res, error),
) (*Res, error) {
	shared := e.store.Hosts.Team().Own != ""
	switch asker := From(ctx); {
	case host == "" || host == e.Own:
		return here(ctx, req)
	case !shared:
		return nil, parley.Errorf(parley.InvalidArgument, "there is no host %q: this workspace has one, %s",
			plain.CleanLine(plain.Truncate(host, 64)), e.Own).With("host", host).
			Suggest("Leave the host out. Several hosts share a database on a server: see docs/machines.md.")
	case asker != "":
		return nil, parley.Errorf(parley.AgentUnavailable, "host %s was asked for what is on host %s", e.Own, host).
			With("host", host).Suggest("Try again: it has just moved.")
	}
	return Ask(ctx, e.store, host, o, req)
}

// DialogOf asks the host of an agent what its screen shows, and which dialog is open there. It returns nil while this
// host itself is asked by another.
func (e *Elsewhere) DialogOf(ctx context.Context, m *team.Member) (*parley.AnswerDialogResult, error) {
	if From(ctx) != "" {
		return nil, nil // which asks on for nobody
	}
	return Ask(ctx, e.store, m.Agent().Host, op.AnswerDialog,
		parley.AnswerDialogRequest{Agent: m.ID})
}

// SSHTo returns the command that shows in this terminal what a command of tmux shows on another host. With -u tmux
// shows more than ASCII there: over ssh there often is no locale.
func (e *Elsewhere) SSHTo(host string, argv []string) []string {
	argv = slices.Insert(slices.Clone(argv), min(1, len(argv)), "-u")
	return []string{"ssh", "-t", "--", e.Destination(host), sh.Line(argv)}
}

// Destination returns where ssh reaches another host.
func (e *Elsewhere) Destination(host string) string { return cmp.Or(e.SSH[host], host) }

// ParseSSH reads the setting host_ssh.
func ParseSSH(text string) (map[string]string, error) {
	ssh := map[string]string{}
	for entry := range strings.SplitSeq(text, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		host, to, ok := strings.Cut(entry, "=")
		if !ok || host == "" || to == "" || strings.HasPrefix(to, "-") || strings.ContainsAny(to, " \t\n'\"") {
			return nil, parley.Errorf(parley.InvalidArgument, "the setting host_ssh has %q", plain.CleanLine(entry)).
				With("setting", "host_ssh").Suggest("Give each host as NAME=DESTINATION, such as bob=bob@10.0.0.7.")
		}
		ssh[host] = to
	}
	return ssh, nil
}

// PlaceOn completes a launch for which a host was named: its directory is relative to the workspace there,
// and its variables are added to those of the daemon there.
func PlaceOn(req *parley.LaunchAgentRequest, workspace string) {
	if req.Host == "" {
		return
	}
	if req.Dir != "" && !filepath.IsAbs(req.Dir) {
		req.Dir = filepath.Join(workspace, req.Dir)
	}

	if req.OwnEnv == nil {
		req.OwnEnv = slices.Sorted(maps.Keys(req.Env))
	}
	env := map[string]string{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	maps.Copy(env, req.Env)
	req.Env = env
}

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/op"
	"parley/orchestrator/responder"
)

func (d *doctor) checkDaemon(ctx context.Context) (f findings) {
	info, err := daemon.ReadInfo(d.at)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.warn("daemon", "Remove it; the next daemon writes a new one.",
			"%s cannot be read: %v", d.at.Info(), place.PathCause(err))

		return f
	}

	if info != nil && healthy(ctx, "unix", info.Socket) == nil {
		d.aboutRunning(&f, info)
		return f
	}

	held, err := d.at.Lock().Held()
	switch {
	case err != nil:
		f.bad("daemon", "Make it readable for you.", "%s: %v", d.at.Lock().Path, place.PathCause(err))
	case held && info != nil:
		f.bad("daemon",
			fmt.Sprintf("End it with: kill %d. The agents stay, and the next command starts a new daemon.", info.PID),
			"the daemon (pid %d) runs, but does not answer on %s", info.PID, info.Socket)
	case held:
		f.warn("daemon", "Check again in a few seconds; if nothing changes, look into "+d.at.Log()+".",
			"a daemon is starting or ending")
	case info != nil:
		f.warn("daemon",
			"Any command starts a new one, which finds the agents. "+d.at.Log()+" may tell how the last one ended.",
			"not running; the last one (pid %d) crashed or was killed", info.PID)
	default:
		f.ok("daemon", "not running; the next command starts it")
	}

	return f
}

func (d *doctor) aboutRunning(f *findings, info *daemon.Info) {
	if info.Version != buildVersion() {
		f.warn("daemon", "To start the new version: parley down --keep-agents, then any command; the agents stay.",
			"the daemon (pid %d) is version %s, this program %s", info.PID, info.Version, buildVersion())
		return
	}

	if file, err := os.Stat(d.at.TeamFile()); err == nil && file.ModTime().After(info.StartedAt) {
		f.warn("daemon", "To apply the changes: parley down --keep-agents, then any command; the agents stay.",
			"parley.yaml has changed since the daemon (pid %d) read it", info.PID)

		return
	}

	f.ok("daemon", "%s, pid %d, up for %s", info.Version, info.PID, d.cli.out.ago(info.StartedAt))
}

// healthy returns nil if a parley daemon answers at the address.
func healthy(ctx context.Context, network, address string) error {
	_, err := health(ctx, network, address)
	return err
}

// health reports whether the daemon at the address can work. The error says that no
// daemon answers there.
func health(ctx context.Context, network, address string) (ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()

	transport := &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1/healthz", nil)
	if err != nil {
		return false, err
	}

	res, err := transport.RoundTrip(req)
	if err != nil {
		return false, err
	}
	defer res.Body.Close()

	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusServiceUnavailable { // unhealthy, but it answers
		return false, fmt.Errorf("it answered %s", res.Status)
	}

	return res.StatusCode == http.StatusOK, nil
}

// checkPort checks the daemon's TCP port: a running daemon must answer on it; otherwise
// the port of the next one must be free.
func (d *doctor) checkPort(ctx context.Context) (f findings) {
	info, err := daemon.ReadInfo(d.at)
	if err == nil && healthy(ctx, "unix", info.Socket) == nil {
		u, err := url.Parse(info.HTTP)
		if err == nil {
			err = healthy(ctx, "tcp", u.Host)
		}

		if err != nil {
			f.bad("port", "Restart the daemon: parley down --keep-agents, then any command.",
				"the daemon does not answer on %s: %v", info.HTTP, err)

			return f
		}

		f.ok("port", "the daemon answers on %s", info.HTTP)

		return f
	}

	fixed, kept := 0, daemon.KeptPort(d.at.Port())
	if d.team != nil {
		fixed = d.team.Settings.HTTPPort
	}

	err = listens(cmp.Or(fixed, kept))
	switch {
	case err == nil && fixed+kept == 0:
		f.ok("port", "the daemon will take a free one")
	case err == nil:
		f.ok("port", "%d is free", cmp.Or(fixed, kept))
	case fixed == 0 && taken(err):
		f.warn("port", "Nothing, unless a program uses that number.",
			"%d, the last daemon's port, is in use; the next one will take another", kept)
	case taken(err):
		f.bad("port", "Give http_port in parley.yaml another number, or leave it out to get a free one.",
			"%d is in use", fixed)
	default:
		f.bad("port", "Give http_port in parley.yaml a number above 1023, or leave it out.", "%v", err)
	}

	return f
}

// connectTime bounds a connection to a model's server.
const connectTime = 3 * time.Second

type responderCheck struct {
	name    string
	config  parley.ResponderConfig
	daemon  bool   // the running daemon knows it
	problem string // as the daemon reports it
}

// checkResponders checks whether the models of parley.yaml, and those of a running
// daemon, can be called. It sends their servers neither a key nor a question.
func (d *doctor) checkResponders(ctx context.Context) (f findings) {
	if d.team == nil {
		return f
	}

	var checks []responderCheck
	for _, r := range d.team.Declared() {
		checks = append(checks, responderCheck{name: r.Name, config: r.ResponderConfig})
	}
	checks = d.addRunningResponders(ctx, checks, &f)

	model := responder.New(responder.Options{Getenv: d.cli.at.env.Get})
	for _, r := range checks {
		question := parley.ModelQuestion{BaseURL: r.config.BaseURL, KeyEnv: r.config.APIKeyEnv}
		problem := r.problem
		if err := model.Problem(question); !r.daemon && err != nil {
			problem = err.Error()
		}
		if problem != "" {
			action := "Set " + r.config.APIKeyEnv +
				" where the daemon starts, and restart it: parley down --keep-agents, then any command."
			f.bad("responders", action, "%s cannot answer: %s", r.name, problem)
			continue
		}

		question.KeyEnv = "" // the daemon has it
		base, err := reach(ctx, model, question)
		if err != nil {
			f.bad("responders", "Start that server, or correct base_url, HTTP_PROXY, HTTPS_PROXY or NO_PROXY.",
				"%s cannot answer: cannot connect to %s: %v", r.name, base, err)
		} else {
			f.ok("responders", "%s: %s", r.name, r.config.Words())
		}
	}

	return f
}

// reach connects to a model's server within connectTime.
func reach(ctx context.Context, model *responder.Client, q parley.ModelQuestion) (base string, err error) {
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	return model.Reach(ctx, q)
}

// addRunningResponders adds the responders of a running daemon, whose environment
// counts, and reports the warnings of its start.
func (d *doctor) addRunningResponders(ctx context.Context, checks []responderCheck, f *findings) []responderCheck {
	info, err := daemon.ReadInfo(d.at)
	if err != nil || healthy(ctx, "unix", info.Socket) != nil {
		return checks
	}

	service := d.cli.at.clientOf(info)
	defer service.Close()

	if known, err := op.ListResponders.Call(ctx, service, parley.ListRespondersRequest{}); err == nil {
		for _, r := range known.Responders {
			if !r.Answers {
				continue
			}
			checks = slices.DeleteFunc(checks, func(c responderCheck) bool { return c.name == r.Agent })
			checks = append(checks, responderCheck{r.Agent, r.ResponderConfig, true, r.Problem})
		}
	}

	if status, err := op.GetWorkspaceStatus.Call(ctx, service, parley.WorkspaceStatusRequest{}); err == nil {
		for _, w := range status.Warnings {
			f.bad("parley.yaml",
				"Settle that, and restart the daemon: parley down --keep-agents, then any command.", "%s", w)
		}
	}

	return checks
}

package main

import (
	"cmp"
	"context"
	"net"
	"net/url"
	"slices"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/responder"
)

// connectTime bounds a connection to a model's server.
const connectTime = 3 * time.Second

// responderCheck is a responder to check.
type responderCheck struct {
	name    string
	config  parley.ResponderConfig
	daemon  bool   // the running daemon knows it
	problem string // as the daemon reports it
}

// checkResponders checks whether the models of parley.yaml, and those of a running
// daemon, can be called. It sends them nothing.
func (d *doctor) checkResponders(ctx context.Context) (f findings) {
	if d.team == nil {
		return f
	}

	var checks []responderCheck
	for _, r := range d.team.Declared() {
		checks = append(checks, responderCheck{name: r.Name, config: r.ResponderConfig})
	}
	checks = d.addRunningResponders(ctx, checks, &f)

	model := responder.New(responder.Options{Getenv: d.env.Get})
	for _, r := range checks {
		problem := r.problem
		if !r.daemon {
			question := parley.ModelQuestion{BaseURL: r.config.BaseURL, KeyEnv: r.config.APIKeyEnv}
			if err := model.Problem(question); err != nil {
				problem = err.Error()
			}
		}

		base := cmp.Or(r.config.BaseURL, responder.HostedURL)
		if problem != "" {
			action := "Set " + r.config.APIKeyEnv +
				" where the daemon starts, and restart it: parley down --keep-agents, then any command."
			f.bad("responders", action, "%s cannot answer: %s", r.name, problem)
		} else if err := reachable(ctx, base); err != nil {
			f.bad("responders", "Start that server, or correct base_url.",
				"%s cannot answer: cannot connect to %s: %v", r.name, base, err)
		} else {
			f.ok("responders", "%s: %s", r.name, r.config.Words())
		}
	}

	return f
}

// addRunningResponders adds the responders of a running daemon, whose environment
// counts, and reports the warnings of its start.
func (d *doctor) addRunningResponders(ctx context.Context, checks []responderCheck, f *findings) []responderCheck {
	info, err := daemon.ReadInfo(d.at)
	if err != nil || healthy(ctx, "unix", info.Socket) != nil {
		return checks
	}

	service := d.clientOf(info)
	defer service.Close()

	if known, err := service.ListResponders(ctx, parley.ListRespondersRequest{}); err == nil {
		for _, r := range known.Responders {
			if !r.Answers {
				continue
			}
			checks = slices.DeleteFunc(checks, func(c responderCheck) bool { return c.name == r.Agent })
			checks = append(checks, responderCheck{r.Agent, r.ResponderConfig, true, r.Problem})
		}
	}

	if status, err := service.GetWorkspaceStatus(ctx, parley.WorkspaceStatusRequest{}); err == nil {
		for _, w := range status.Warnings {
			f.bad("parley.yaml",
				"Settle that, and restart the daemon: parley down --keep-agents, then any command.", "%s", w)
		}
	}

	return checks
}

// reachable connects to a server and sends nothing.
func reachable(ctx context.Context, base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	conn, err := (&net.Dialer{Timeout: connectTime}).DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return err
	}
	return conn.Close()
}

package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/responder"
)

// connectTime is how long a model's server has to take a connection.
const connectTime = 3 * time.Second

// checkResponders looks whether the models of parley.yaml, and those that the daemon
// knows of if it runs, can be asked. Nothing is sent to them.
func (d *doctor) checkResponders(ctx context.Context) (f findings) {
	if d.team == nil {
		return f
	}

	all := map[string]parley.ResponderConfig{}
	var names []string
	add := func(name string, c parley.ResponderConfig) {
		if _, known := all[name]; !known {
			names = append(names, name)
		}
		all[name] = c
	}

	for _, r := range d.team.Declared() {
		add(r.Name, r.ResponderConfig)
	}

	missing := map[string]string{}
	if info, err := daemon.ReadInfo(d.at); err == nil && info != nil && healthy(ctx, "unix", info.Socket) == nil {
		service := d.clientOf(info)
		defer service.Close()

		if known, err := service.ListResponders(ctx, parley.ListRespondersRequest{}); err == nil {
			for _, r := range known.Responders {
				if r.Answers {
					add(r.Agent, r.ResponderConfig)
					missing[r.Agent] = r.Problem
				}
			}
		}

		if status, err := service.GetWorkspaceStatus(ctx, parley.WorkspaceStatusRequest{}); err == nil {
			for _, w := range status.Warnings {
				f.bad(
					"responders",
					"Change parley.yaml, and start the daemon again: parley down --keep-agents, then any command.",
					"%s",
					w,
				)
			}
		}
	}

	model := responder.New(responder.Options{Getenv: d.env.Get})
	for _, name := range names {
		c := all[name]
		problem, asked := missing[name]
		if err := model.Problem(parley.ModelQuestion{BaseURL: c.BaseURL, KeyEnv: c.APIKeyEnv}); err != nil && !asked {
			problem = err.Error()
		}

		if problem != "" {
			f.bad(
				"responders",
				fmt.Sprintf(
					"Set %s where the daemon is started, and start it again: parley down --keep-agents, then any command.",
					c.APIKeyEnv,
				),
				"%s cannot answer: %s",
				name,
				problem,
			)

			continue
		}

		if err := reachable(ctx, cmp.Or(c.BaseURL, responder.HostedURL)); err != nil {
			f.bad(
				"responders",
				"Start that server, or correct base_url.",
				"%s cannot answer: %s takes no connection: %v",
				name,
				cmp.Or(c.BaseURL, responder.HostedURL),
				err,
			)

			continue
		}

		f.ok("responders", "%s: %s", name, c.Words())
	}

	return f
}

// reachable connects to a server, and says nothing there.
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

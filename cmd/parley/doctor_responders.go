package main

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/op"
	"parley/orchestrator/responder"
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

	model := responder.New(responder.Options{Getenv: d.env.Get})
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

	service := d.clientOf(info)
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

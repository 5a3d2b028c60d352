package daemon

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"parley/httpapi"
	"parley/mcpserver"
	"parley/web"
)

// mcp returns the MCP server of the settings.
func (d *daemon) mcp() (*mcpserver.HTTPHandler, error) {
	sets, ofAgents, err := ParseToolsets(d.settings.MCPToolsets, d.toolsets)
	if err != nil {
		return nil, err
	}

	return mcpserver.Handler(mcpserver.Options{
		Service:      d.orchestrator,
		Authenticate: d.authenticate,
		Version:      d.Version,
		Log:          d.log,
		Toolsets:     sets,
		Agents:       ofAgents,
	}), nil
}

// http returns the options of the HTTP server, which passes MCP calls on to mcp.
func (d *daemon) http(mcp http.Handler) httpapi.Options {
	o := httpapi.Options{
		Service:      d.orchestrator,
		Authenticate: d.authenticate,
		Peer:         peer,
		Owner:        ownerOf,
		SameUser:     mayRegister,
		MCP:          mcp,
		Page: &httpapi.Page{
			Files: web.Handler(d.Version), Enter: d.enterPage, Session: d.session, Workspaces: d.Workspaces,
		},
		AnswerByCode:      d.answerByCode,
		Files:             d.orchestrator.Files,
		Health:            d.orchestrator.Workspace.Health,
		Totals:            d.totals,
		Version:           d.Version,
		Log:               d.log,
		Registration:      true,
		OpenRegistration:  d.settings.OpenRegistration,
		TrustLocalAgentID: d.settings.TrustLocalAgentID,
		Agent:             d.orchestrator.Callers.CallerNamed,
		Beyond:            d.settings.beyondLoopback(),
	}

	for name := range strings.SplitSeq(d.settings.HTTPHosts, ",") {
		if name = strings.TrimSpace(name); name != "" {
			o.Hosts = append(o.Hosts, name)
		}
	}
	if u, err := url.Parse(d.web.URL); err == nil && u.Hostname() != "" {
		o.Hosts = append(o.Hosts, u.Hostname())
	}

	return o
}

// totals counts for /metrics.
func (d *daemon) totals(ctx context.Context) (httpapi.Totals, error) {
	t, err := d.store.Workspace.Totals(ctx)
	return httpapi.Totals(t), err
}

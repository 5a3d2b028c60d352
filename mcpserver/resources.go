package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"parley/op"
)

// resource is the result of an operation under a URI. Reading it changes nothing.
type resource struct {
	uri, name, about string
	op               string
	args             map[string]any
	argument         string // the parameter that the URI contains; "" if none
}

const (
	inboxURI   = "parley://inbox"
	agentsURI  = "parley://agents"
	threadsURI = "parley://threads"
	threadURI  = threadsURI + "/{" + threadID + "}" // a template
	threadID   = "id"
)

var resources = []resource{
	{
		uri: inboxURI, name: "inbox", about: "Your unread messages, oldest first.",
		op: "check_inbox", args: map[string]any{"limit": 50},
	},
	{
		uri: agentsURI, name: "agents", about: "The agents: name, role, state and availability of each.",
		op: "get_agent_status",
	},
	{
		uri: threadsURI, name: "threads", about: "The threads, the most recently active first.",
		op: "list_threads",
	},
	{
		uri: threadURI, name: "thread", about: "The newest posts of a thread, newest first.",
		op: "get_messages", argument: "thread_id",
		args: map[string]any{"sort_order": "newest_first", "mark_read": false},
	},
}

const jsonType = "application/json"

func addResources(s *server.MCPServer, o Options) {
	for _, r := range resources {
		t := &tool{op: op.Find(r.op), server: s, options: o}
		read := func(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return r.read(ctx, t, req)
		}

		if r.argument == "" {
			s.AddResource(
				mcp.NewResource(r.uri, r.name, mcp.WithResourceDescription(r.about), mcp.WithMIMEType(jsonType)), read,
			)
			continue
		}

		s.AddResourceTemplate(
			mcp.NewResourceTemplate(
				r.uri, r.name, mcp.WithTemplateDescription(r.about), mcp.WithTemplateMIMEType(jsonType),
			),
			read,
		)
	}
}

func (r resource) read(ctx context.Context, t *tool, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	args := map[string]any{}
	maps.Copy(args, r.args)

	if prefix, _, found := strings.Cut(r.uri, "{"); found {
		args[r.argument] = strings.TrimPrefix(req.Params.URI, prefix)
	}

	b, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("write the arguments of %s: %w", r.op, err)
	}

	result, err := t.perform(ctx, b)
	if err != nil {
		return nil, t.toError(err)
	}

	text, err := compact(result)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", r.uri, err)
	}

	return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: jsonType, Text: text}}, nil
}

// hideResources removes from the lists the resources that the caller may not read.
func (o Options) hideResources(hooks *server.Hooks) {
	hidden := func(ctx context.Context, name string) bool {
		i := slices.IndexFunc(resources, func(r resource) bool { return r.name == name })
		return i < 0 || !o.sees(ctx, resources[i].op)
	}

	hooks.AddAfterListResources(
		func(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, res *mcp.ListResourcesResult) {
			res.Resources = slices.DeleteFunc(
				slices.Clone(res.Resources), func(r mcp.Resource) bool { return hidden(ctx, r.Name) },
			)
		},
	)

	hooks.AddAfterListResourceTemplates(
		func(ctx context.Context, _ any, _ *mcp.ListResourceTemplatesRequest, res *mcp.ListResourceTemplatesResult) {
			res.ResourceTemplates = slices.DeleteFunc(
				slices.Clone(res.ResourceTemplates), func(r mcp.ResourceTemplate) bool { return hidden(ctx, r.Name) },
			)
		},
	)
}

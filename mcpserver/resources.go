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

	"parley"
	"parley/op"
	"parley/plain"
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

// completer completes names of agents in prompts, and ids of threads in resources, for a person who types them.
type completer struct{ options Options }

// maxCompletions is what the protocol allows.
const maxCompletions = 100

// CompletePromptArgument implements server.PromptCompletionProvider.
func (c completer) CompletePromptArgument(
	ctx context.Context, name string, argument mcp.CompleteArgument, _ mcp.CompleteContext,
) (*mcp.Completion, error) {
	switch {
	case !slices.ContainsFunc(prompts, func(p prompt) bool { return p.name == name }):
		return nil, parley.Errorf(parley.InvalidArgument, "there is no prompt %q", plain.CleanLine(name)).
			Suggest("prompts/list shows what there is.")
	case argument.Name != reviewer:
		return &mcp.Completion{}, nil
	}
	if err := c.options.allow(ctx, "get_agent_status"); err != nil {
		return nil, err
	}

	res, err := op.GetAgentStatus.Call(ctx, c.options.Service, parley.AgentStatusRequest{})
	if err != nil {
		return nil, err
	}

	var names []string
	for i := range res.Agents {
		if a := &res.Agents[i]; a.State != parley.StateTerminated && a.ID != parley.CallerFrom(ctx).ID {
			names = append(names, a.Name)
		}
	}

	return among(names, names, argument.Value), nil
}

// CompleteResourceArgument implements server.ResourceCompletionProvider. A thread is found by its title, too.
func (c completer) CompleteResourceArgument(
	ctx context.Context, uri string, argument mcp.CompleteArgument, _ mcp.CompleteContext,
) (*mcp.Completion, error) {
	if uri != threadURI || argument.Name != threadID {
		return nil, parley.Errorf(parley.InvalidArgument, "%q has no parameter %q",
			plain.CleanLine(uri), plain.CleanLine(argument.Name)).
			Suggest("resources/templates/list shows what there is.")
	}
	if err := c.options.allow(ctx, "list_threads"); err != nil {
		return nil, err
	}

	res, err := op.ListThreads.Call(ctx, c.options.Service, parley.ListThreadsRequest{Limit: maxCompletions})
	if err != nil {
		return nil, err
	}

	ids, titles := make([]string, len(res.Threads)), make([]string, len(res.Threads))
	for i := range res.Threads {
		ids[i], titles[i] = res.Threads[i].ID, res.Threads[i].Title
	}

	return among(ids, titles, argument.Value), nil
}

// among returns the values that begin with what is typed, and then those whose words contain it.
func among(values, words []string, typed string) *mcp.Completion {
	typed = strings.ToLower(typed)
	var begin, contain []string
	for i, value := range values {
		switch {
		case strings.HasPrefix(strings.ToLower(value), typed):
			begin = append(begin, value)
		case strings.Contains(strings.ToLower(words[i]), typed):
			contain = append(contain, value)
		}
	}

	found := append(begin, contain...)
	shown := found[:min(len(found), maxCompletions)]

	return &mcp.Completion{Values: shown, Total: len(found), HasMore: len(found) > len(shown)}
}

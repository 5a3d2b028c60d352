package mcpserver

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"parley"
	"parley/op"
	"parley/plain"
)

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

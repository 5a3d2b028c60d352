package mcpserver

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/mark3labs/mcp-go/mcp"

	"parley"
	"parley/op"
	"parley/plain"
)

// toolsets are the groups in which tools are offered. A tool is in one group.
var toolsets = map[string][]string{
	"messages": {
		"send_message",
		"respond_to_message",
		"ignore_message",
		"check_inbox",
		"check_new_messages",
		"get_messages",
		"get_message_status",
		"whois",
		"mark_message_read",
		"get_conversation_history",
		"search_messages",
	},
	"team": {"register_agent", "get_agent_status", "broadcast_message", "broadcast_update", "request_assistance"},
	"threads": {"create_thread", "list_threads", "get_thread_details", "join_thread", "add_participant_to_thread",
		"remove_participant_from_thread", "get_conversation_state"},
	"schedules": {"schedule_message", "list_schedules", "change_schedule"},
	"files":     {"transfer_file"},
	"orchestrate": {"launch_agent", "adopt_agent", "stop_agent", "restart_agent", "handoff_agent",
		"read_terminal", "get_attach_info", "list_worktrees", "diff_agent", "preview_merge",
		"pause_communication", "steer_agent"},
}

// Toolsets are names of groups of tools. Nil means all groups.
type Toolsets []string

// ParseToolsets parses names of groups, separated by commas. An empty text means all
// groups.
func ParseToolsets(text string) (Toolsets, error) {
	var sets Toolsets
	known := slices.Sorted(maps.Keys(toolsets))
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name == "" {
			continue
		}

		if !slices.Contains(known, name) {
			err := parley.Errorf(parley.InvalidArgument, "there is no toolset %q", plain.CleanLine(name)).
				With("allowed", known)
			if near := plain.Nearest(name, known); near != "" {
				return nil, err.Suggest("Did you mean %q? There are: %s.", near, strings.Join(known, ", "))
			}
			return nil, err.Suggest("There are: %s.", strings.Join(known, ", "))
		}

		sets = append(sets, name)
	}

	return sets, nil
}

// Within returns the groups of s that are also in all.
func (s Toolsets) Within(all Toolsets) Toolsets {
	switch {
	case s == nil:
		return all
	case all == nil:
		return s
	}
	return slices.DeleteFunc(slices.Clone(s), func(name string) bool { return !slices.Contains(all, name) })
}

func toolsetOf(tool string) string {
	for name, tools := range toolsets {
		if slices.Contains(tools, tool) {
			return name
		}
	}
	return ""
}

type toolsetsKey struct{}

// withToolsets returns a context that limits a connection to the groups.
func withToolsets(ctx context.Context, s Toolsets) context.Context {
	return context.WithValue(ctx, toolsetsKey{}, s)
}

// offers reports whether the toolsets of the server, the connection and the agent contain
// the tool.
func (o Options) offers(ctx context.Context, tool string) bool {
	connection, _ := ctx.Value(toolsetsKey{}).(Toolsets)
	sets := connection.Within(o.Toolsets).Within(o.Agents[strings.ToLower(parley.CallerFrom(ctx).Name)])
	return sets == nil || slices.Contains(sets, toolsetOf(tool))
}

// allow returns the error of a tool that the caller in ctx may not use, or is not offered.
func (o Options) allow(ctx context.Context, tool string) error {
	if err := op.Find(tool).Allow(parley.CallerFrom(ctx)); err != nil {
		return err
	}
	if !o.offers(ctx, tool) {
		return notOffered(tool)
	}
	return nil
}

// sees reports whether the caller in ctx is shown the tool: it may use it, and needs it. An
// agent that has a name need not register; only the operator registers others.
func (o Options) sees(ctx context.Context, tool string) bool {
	one, caller := op.Find(tool), parley.CallerFrom(ctx)
	if one == nil || !one.ForModels() || one.Allow(caller) != nil || !o.offers(ctx, tool) {
		return false
	}
	return one.Access != op.Public || caller.Nobody() || caller.Operator
}

// visible returns the tools that the caller in ctx is shown. A connection without a key is shown
// those of agents too: its calls may name a key. A call of another tool is still answered, perhaps
// with an error that says what is missing.
func (o Options) visible(ctx context.Context, tools []mcp.Tool) []mcp.Tool {
	var shown []mcp.Tool
	for _, t := range tools {
		one := op.Find(t.Name)
		switch {
		case o.sees(ctx, t.Name):
			shown = append(shown, t)
		case keyless(parley.CallerFrom(ctx)) && one.Access == op.Team && o.offers(ctx, t.Name):
			shown = append(shown, withKey(t, one))
		}
	}
	return shown
}

// keyless reports whether a connection says nothing of its caller, so that each call must.
func keyless(c parley.Caller) bool { return c.Nobody() && !c.Remote }

// withKey returns a tool whose schema asks for the key of an agent.
func withKey(t mcp.Tool, op *op.Op) mcp.Tool {
	s := input(op.Input())
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	s.Properties["api_key"] = &jsonschema.Schema{Type: "string", Description: "Your key, from register_agent."}
	s.Required = append([]string{"api_key"}, s.Required...)
	t.RawInputSchema = mustMarshal(s)

	return t
}

func notOffered(tool string) error {
	set := toolsetOf(tool)
	return parley.Errorf(parley.NotAuthorized, "%s is in the toolset %s, which is not offered here", tool, set).
		With("toolset", set).
		Suggest("Do without it, or ask the operator to add %s to mcp_toolsets or to your toolsets in parley.yaml, "+
			"or to those of your connection.", set)
}

// describe returns an operation as a tool. It has no output schema: a model reads in the result
// what there is, and would pay for the schema with its context.
func describe(op *op.Op) mcp.Tool {
	t := mcp.NewToolWithRawSchema(op.Name, op.Summary, mustMarshal(input(op.Input())))
	t.Title, t.Annotations = titleOf(op.Name), annotate(op)
	return t
}

// titleOf returns a name as people are shown it.
func titleOf(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// annotate returns the hints about what a tool changes. Hints that are left out have the
// protocol's default or no meaning: a tool that only reads is neither destructive nor
// idempotent. The library's own defaults are destructive and open to the world.
func annotate(o *op.Op) mcp.ToolAnnotation {
	a := mcp.ToolAnnotation{OpenWorldHint: new(false)}
	switch o.Effect {
	case op.Reads:
		a.ReadOnlyHint = new(true)
	case op.Adds:
		a.DestructiveHint = new(false)
	case op.Marks:
		a.DestructiveHint, a.IdempotentHint = new(false), new(true)
	case op.Destroys:
		a.DestructiveHint = new(true)
	}
	return a
}

// input returns an input schema as tools/list shows it. It is short, because every agent
// pays for it with its context. Limits that models do not come near are left out; the
// server's errors explain them.
func input(s *jsonschema.Schema) *jsonschema.Schema {
	s = s.CloneSchemas()
	for _, name := range forPrograms {
		delete(s.Properties, name)
	}
	for _, p := range s.Properties {
		p.MaxLength, p.MaxItems, p.Minimum = nil, nil, nil
	}
	return s
}

// forPrograms are parameters that are accepted, but not shown: an idempotency key only
// helps a caller that gives one with each call.
var forPrograms = []string{"idempotency_key"}

// mustMarshal encodes a schema. It panics if that fails: the schemas are our own, and the
// first test that runs finds the mistake.
func mustMarshal(s *jsonschema.Schema) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return b
}

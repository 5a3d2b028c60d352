// Package mcpserver is the operations table as MCP tools, over streamable HTTP
// and over stdio. Who calls comes from the context, never from the session: a
// session id proves nothing, and agents keep theirs when the daemon restarts.
package mcpserver

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"parley"
)

// Options is what a server works with. Service is needed.
type Options struct {
	Service parley.Service
	Version string

	// Authenticate resolves the api_key that a call may carry in its arguments.
	// Over HTTP no such key is known without it; over stdio it is not used: the
	// service is a client, and its daemon decides.
	Authenticate func(ctx context.Context, key string) (parley.Caller, bool)

	Toolsets Toolsets            // the groups of tools that are offered; all if nil
	Agents   map[string]Toolsets // of these, to the agents that are offered fewer, by their names in small letters
	Log      *slog.Logger
}

// progressEvery is how often a caller that asked for progress hears that its
// call still waits. Some clients give up after a minute of silence.
const progressEvery = 5 * time.Second

// stdioWorkers is how many calls one agent may have waiting at once over
// stdio. The library's 5 would be used up by a few long polls; 100 is the most
// that it allows.
const stdioWorkers = 100

// ServeStdio speaks MCP on in and out for one caller until in ends or ctx
// does; what was asked before the end of in is still answered. The service
// decides who really calls. The library keeps one stdio session per process.
func ServeStdio(ctx context.Context, o Options, in io.Reader, out io.Writer, caller parley.Caller) error {
	return serveStdio(ctx, o, in, out, caller, lastAnswers)
}

func serveStdio(
	ctx context.Context,
	o Options,
	in io.Reader,
	out io.Writer,
	caller parley.Caller,
	last time.Duration,
) error {
	o = o.withDefaults()
	s := server.NewStdioServer(newServer(o, progressEvery))
	server.WithWorkerPoolSize(stdioWorkers)(s)
	server.WithErrorLogger(slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn))(s)
	caller.Remote = true
	talk := newDialogue(ctx, in, out, last)
	return s.Listen(parley.WithCaller(ctx, caller), talk, talk)
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// newServer makes the MCP server with all tools; which of them a caller sees
// and what it is told is decided when it asks.
func newServer(o Options, progress time.Duration) *server.MCPServer {
	hooks := new(server.Hooks)
	hooks.AddAfterInitialize(func(ctx context.Context, _ any, _ *mcp.InitializeRequest, result *mcp.InitializeResult) {
		result.Instructions = o.instructions(ctx)
	})

	hooks.AddAfterDiscover(func(ctx context.Context, _ any, _ *mcp.DiscoverRequest, result *mcp.DiscoverResult) {
		result.Instructions = o.instructions(ctx)
	})

	hooks.AddAfterListTools(func(ctx context.Context, _ any, _ *mcp.ListToolsRequest, result *mcp.ListToolsResult) {
		result.Tools = o.visible(ctx, result.Tools)
	})

	o.hideResources(hooks)
	s := server.NewMCPServer(
		"parley",
		o.Version,
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(false, false),
		server.WithPromptCapabilities(false),
		server.WithPromptFilter(o.visiblePrompts),
		server.WithHooks(hooks),
		server.WithLogger(o.Log),
	)

	for _, op := range parley.Ops {
		if op.ForModels() {
			t := &tool{op: op, server: s, options: o, progressEvery: progress}
			s.AddTool(describe(op), t.call)
		}
	}

	addResources(s, o)
	for _, p := range prompts {
		s.AddPrompt(p.describe(), p.get)
	}

	return s
}

func (o Options) instructions(ctx context.Context) string {
	return Instructions(parley.CallerFrom(ctx), func(tool string) bool { return o.sees(ctx, tool) })
}

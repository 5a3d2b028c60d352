// Package mcpserver serves the table of operations as MCP tools, over streamable HTTP and
// over stdio. The caller comes from the context, never from the session: a session id
// proves nothing, and agents keep theirs when the daemon restarts.
package mcpserver

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"parley"
	"parley/op"
)

// Options configure a server. Service is required.
type Options struct {
	Service parley.Service
	Version string

	// Authenticate returns the owner of an api_key in the arguments of a call. If nil,
	// such keys are unknown over HTTP. Over stdio it is not used: the service is a client,
	// whose daemon checks the key.
	Authenticate func(ctx context.Context, key string) (parley.Caller, bool)

	Toolsets Toolsets            // the groups of tools that are offered; all if nil
	Agents   map[string]Toolsets // fewer of them for single agents, by lower-case name
	Log      *slog.Logger

	listsEvery time.Duration // the interval of looks at what a caller may use, for tests
}

// progressEvery is the interval of progress notifications, for callers that asked for
// them. Some clients give up after a minute of silence.
const progressEvery = 5 * time.Second

// stdioWorkers bounds how many calls of one agent may run at once over stdio. A few long
// polls would use up the library's default of 5; 100 is its maximum.
const stdioWorkers = 100

// ServeStdio serves MCP on in and out for one caller until in ends or ctx is done.
// Requests from before the end of in are still answered. The service identifies the caller.
// The library supports one stdio session per process.
func ServeStdio(ctx context.Context, o Options, in io.Reader, out io.Writer, caller parley.Caller) error {
	return serveStdio(ctx, o, in, out, caller, lastAnswers)
}

func serveStdio(
	ctx context.Context, o Options, in io.Reader, out io.Writer, caller parley.Caller, last time.Duration,
) error {
	o = o.withDefaults()
	own := newWatch()
	s := server.NewStdioServer(newServer(o, progressEvery, changing{
		watch: func(string) *watch { return own },
	}))
	server.WithWorkerPoolSize(stdioWorkers)(s)
	server.WithErrorLogger(slog.NewLogLogger(o.Log.Handler(), slog.LevelWarn))(s)
	caller.Remote = true
	ctx, cancel := context.WithCancel(parley.WithCaller(ctx, caller))
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()

	talk := newDialogue(ctx, in, out, last)
	running.Go(func() {
		own.follow(ctx, o, func(uri string) error {
			_, err := talk.Write(append(notice(updated(uri)), '\n'))
			return err
		})
	})

	return s.Listen(withFailures(ctx, &talk.failures), talk, talk)
}

// changing is what a server can tell its clients of.
type changing struct {
	watch func(session string) *watch // the watch of a session of the older versions
	lists bool                        // the rights of a caller may change within a connection
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Log = slog.New(warnings{o.Log.Handler()})
	return o
}

// warnings drops what is not at least a warning: the library logs a line for every call.
type warnings struct{ slog.Handler }

func (h warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

func (h warnings) WithAttrs(attrs []slog.Attr) slog.Handler {
	return warnings{h.Handler.WithAttrs(attrs)}
}
func (h warnings) WithGroup(name string) slog.Handler { return warnings{h.Handler.WithGroup(name)} }

// lists are the methods whose answers change only with the rights of the caller and the settings, which is seldom.
var lists = []mcp.MCPMethod{
	mcp.MethodToolsList, mcp.MethodPromptsList, mcp.MethodResourcesList, mcp.MethodResourcesTemplatesList,
	mcp.MethodServerDiscover,
}

// listsLast is how long a client may keep them before it asks again.
const listsLast = 5 * time.Minute

// newServer returns an MCP server with all tools. Which of them a caller sees, and its
// instructions, are decided on each request.
func newServer(o Options, progress time.Duration, c changing) *server.MCPServer {
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

	hooks.AddOnError(noteFailure)
	o.hideResources(hooks)
	o.watching(hooks, c.watch)
	names := completer{o}
	s := server.NewMCPServer("parley", o.Version, server.WithToolCapabilities(c.lists),
		server.WithResourceCapabilities(true, c.lists), server.WithPromptCapabilities(c.lists),
		server.WithCompletions(), server.WithPromptCompletionProvider(names),
		server.WithResourceCompletionProvider(names),
		server.WithPromptFilter(o.visiblePrompts), server.WithHooks(hooks), server.WithLogger(o.Log))
	for _, method := range lists {
		server.WithMethodCacheHints(method, listsLast.Milliseconds(), mcp.CacheScopePrivate)(s)
	}

	for _, op := range op.All {
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

package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"parley"
	"parley/op"
	"parley/plain"
)

// watch is what one client wants to be told of: the resources that it has subscribed to.
type watch struct {
	began chan struct{} // closed with the first subscription

	mu    sync.Mutex
	uris  map[string]bool
	after int64 // the events up to this one are known
}

func newWatch() *watch { return &watch{began: make(chan struct{}), uris: map[string]bool{}} }

const (
	// maxWatched bounds the resources that one client may subscribe to.
	maxWatched = 100
	// watchPause is the pause after a failure, such as while the daemon restarts.
	watchPause = time.Second
	// watchPoll is how long one look for events waits, in seconds.
	watchPoll = 60
)

// add subscribes to a resource, from now on.
func (w *watch) add(ctx context.Context, o Options, uri string) error {
	r := resourceOf(uri)
	if r == nil {
		return parley.Errorf(parley.InvalidArgument, "%w: %q", server.ErrResourceNotFound, plain.CleanLine(uri)).
			Suggest("resources/list and resources/templates/list show what there is.")
	}
	if err := o.allow(ctx, r.op); err != nil {
		return err
	}

	now, err := op.ReadEvents.Call(ctx, o.Service, parley.ReadEventsRequest{Last: 1})
	if err != nil {
		return err
	}

	w.mu.Lock()
	defer w.mu.Unlock()

	if len(w.uris) >= maxWatched && !w.uris[uri] {
		return parley.Errorf(parley.RateLimited, "more than %d resources are too many", maxWatched).
			Suggest("You have too many subscriptions: cancel one.")
	}
	if len(w.uris) == 0 {
		w.after = now.Next
	}

	w.uris[uri] = true
	select {
	case <-w.began:
	default:
		close(w.began)
	}

	return nil
}

func (w *watch) remove(uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.uris, uri)
}

// follow calls tell with each resource that has changed, until ctx ends, the caller may not read events any
// more, or tell fails.
func (w *watch) follow(ctx context.Context, o Options, tell func(uri string) error) {
	select {
	case <-w.began:
	case <-ctx.Done():
		return
	}

	for {
		w.mu.Lock()
		req := parley.ReadEventsRequest{After: w.after, WaitSeconds: watchPoll}
		w.mu.Unlock()

		began := time.Now()
		page, err := op.ReadEvents.Call(ctx, o.Service, req)
		if err == nil {
			err = o.recheck(ctx)
		}

		again := false
		switch parley.ErrorCode(err) {
		case "":
			again = len(page.Events) == 0 && time.Since(began) < watchPause // the daemon ends, and waits for nothing
		case parley.InvalidArgument: // the record is another one now
			w.skip(ctx, o)
			again = true
		case parley.DaemonUnavailable, parley.StorageUnavailable, parley.RateLimited, parley.Internal:
			again = true
		default:
			return
		}

		if again {
			select {
			case <-time.After(watchPause):
				continue
			case <-ctx.Done():
				return
			}
		}

		for _, uri := range w.changed(page, parley.CallerFrom(ctx).ID) {
			if tell(uri) != nil {
				return
			}
		}
	}
}

// skip continues with what comes from now on.
func (w *watch) skip(ctx context.Context, o Options) {
	if now, err := op.ReadEvents.Call(ctx, o.Service, parley.ReadEventsRequest{Last: 1}); err == nil {
		w.mu.Lock()
		w.after = now.Next
		w.mu.Unlock()
	}
}

func (w *watch) changed(page *parley.ReadEventsResult, caller string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.after = page.Next
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.uris)), func(uri string) bool {
		return !slices.ContainsFunc(page.Events, func(e parley.Event) bool { return changes(uri, &e, caller) })
	})
}

// changes reports whether an event changes what a caller reads under a URI.
func changes(uri string, e *parley.Event, caller string) bool {
	switch uri {
	case inboxURI:
		mine := e.RecipientID == "" || e.RecipientID == caller || caller == ""
		return e.Type.Announces() && e.SenderID != caller && mine
	case agentsURI:
		return e.Type == parley.EventAgent
	case threadsURI:
		return e.ThreadID != ""
	}
	return e.ThreadID != "" && uri == threadsURI+"/"+e.ThreadID
}

// resourceOf returns the resource of a URI, nil if there is none.
func resourceOf(uri string) *resource {
	for i := range resources {
		prefix, _, template := strings.Cut(resources[i].uri, "{")
		if resources[i].uri == uri || template && strings.HasPrefix(uri, prefix) && len(uri) > len(prefix) {
			return &resources[i]
		}
	}
	return nil
}

// watching registers the hooks that serve subscriptions: of the older versions to a session's watch, of the newer
// ones for as long as their request lasts. The library acknowledges them and knows nothing of events.
func (o Options) watching(hooks *server.Hooks, watchOf func(session string) *watch) {
	hooks.AddBeforeSubscribe(func(ctx context.Context, id any, req *mcp.SubscribeRequest) {
		w := watchOf(sessionOf(ctx))
		if w == nil {
			return
		}
		if err := w.add(ctx, o, req.Params.URI); err != nil {
			noteFailure(ctx, id, mcp.MethodResourcesSubscribe, req, err)
			req.Params.URI = "" // the library refuses that, with the failure that was noted
		}
	})

	hooks.AddAfterUnsubscribe(func(ctx context.Context, _ any, req *mcp.UnsubscribeRequest, _ *mcp.EmptyResult) {
		if w := watchOf(sessionOf(ctx)); w != nil {
			w.remove(req.Params.URI)
		}
	})

	hooks.AddBeforeSubscriptionsListen(func(ctx context.Context, id any, req *mcp.SubscriptionsListenRequest) {
		w, wanted := newWatch(), &req.Params.Notifications
		wanted.ResourceSubscriptions = slices.DeleteFunc(wanted.ResourceSubscriptions, func(uri string) bool {
			return w.add(ctx, o, uri) != nil
		})

		session := server.ClientSessionFromContext(ctx)
		go o.serveWatch(ctx, w, *wanted, func(n mcp.Notification) error {
			n.Params.Meta = map[string]any{mcp.MetaKeySubscriptionID: id}
			select {
			case session.NotificationChannel() <- mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION,
				Notification: n}:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	})
}

func sessionOf(ctx context.Context) string {
	if s := server.ClientSessionFromContext(ctx); s != nil {
		return s.SessionID()
	}
	return ""
}

// serveWatch sends notifications of what a client wants to be told of, until ctx ends or one cannot be sent.
func (o Options) serveWatch(
	ctx context.Context, w *watch, wanted mcp.SubscriptionFilter, send func(mcp.Notification) error,
) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	var running sync.WaitGroup
	running.Go(func() {
		defer cancel() // what cannot be followed any more is not pretended to be
		w.follow(ctx, o, func(uri string) error { return send(updated(uri)) })
	})
	running.Go(func() {
		defer cancel()
		o.watchLists(ctx, wanted, send)
	})
	running.Wait()
}

func updated(uri string) mcp.Notification {
	return mcp.Notification{
		Method: mcp.MethodNotificationResourceUpdated,
		Params: mcp.NotificationParams{AdditionalFields: map[string]any{"uri": uri}},
	}
}

// listsEvery is the interval between two looks at what a caller may use.
const listsEvery = 5 * time.Second

// watchLists tells that lists have changed, as when the operator lets a newcomer in. It ends with ctx, or with
// the caller's key.
func (o Options) watchLists(
	ctx context.Context, wanted mcp.SubscriptionFilter, send func(mcp.Notification) error,
) {
	ticker := time.NewTicker(cmp.Or(o.listsEvery, listsEvery))
	defer ticker.Stop()

	before := o.listsFor(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}

		fresh, err := o.refresh(ctx)
		if err != nil {
			return
		}

		now := o.listsFor(fresh)
		for i, method := range []struct {
			name   string
			wanted bool
		}{
			{mcp.MethodNotificationToolsListChanged, wanted.ToolsListChanged},
			{mcp.MethodNotificationResourcesListChanged, wanted.ResourcesListChanged},
			{mcp.MethodNotificationPromptsListChanged, wanted.PromptsListChanged},
		} {
			if method.wanted && !slices.Equal(before[i], now[i]) && send(mcp.Notification{Method: method.name}) != nil {
				return
			}
		}
		before = now
	}
}

// listsFor returns the names of the tools, resources and prompts that the caller in ctx is shown.
func (o Options) listsFor(ctx context.Context) (lists [3][]string) {
	for _, op := range op.All {
		if o.sees(ctx, op.Name) {
			lists[0] = append(lists[0], op.Name)
		}
	}
	for i := range resources {
		if o.sees(ctx, resources[i].op) {
			lists[1] = append(lists[1], resources[i].name)
		}
	}
	for _, p := range prompts {
		if !slices.ContainsFunc(p.tools, func(tool string) bool { return !o.sees(ctx, tool) }) {
			lists[2] = append(lists[2], p.name)
		}
	}
	return lists
}

// refresh returns a context in which the caller has the rights that its key gives it now.
func (o Options) refresh(ctx context.Context) (context.Context, error) {
	key := parley.CredentialsFrom(ctx).Key
	if o.Authenticate == nil || key == "" {
		return ctx, nil
	}

	caller, ok := o.Authenticate(ctx, key)
	if !ok {
		return ctx, keyGone()
	}
	caller.Network = parley.CallerFrom(ctx).Network

	return parley.WithCaller(ctx, caller), nil
}

func notice(n mcp.Notification) []byte {
	b, _ := json.Marshal(mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: n}) // strings alone
	return b
}

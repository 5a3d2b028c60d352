package answer

import (
	"context"
	"sync"

	"parley"
	"parley/orchestrator/team"
)

// call is a message that a responder is answering.
type call struct {
	done  chan struct{} // closed when reply and err are set
	reply *parley.Reply
	err   error
}

func (c *call) wait(ctx context.Context) (*parley.Reply, error) {
	select {
	case <-c.done:
		return c.reply, c.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// inflight holds the calls under way. A message that is sent again meanwhile waits for
// the first call, so a model is asked once.
type inflight struct {
	mu            sync.Mutex
	calls         map[string]*call         // by callKey
	conversations map[string]chan struct{} // full while a responder answers in one; see conversationOf
	models        map[string]chan struct{} // by responder; holds one value for each question under way
	cancels       map[*context.CancelFunc]bool
	stopped       bool           // no further call begins
	group         sync.WaitGroup // of calls
}

// callKey names the call for a message and a responder. A thread's post may have many.
func callKey(msg *parley.Message, to *team.Member) string {
	if msg.Kind == parley.KindThread {
		return msg.ID + " " + to.ID
	}
	return msg.ID
}

// begin notes that a message will be answered. If it is the first call with this
// key, the caller must end it. The error is MODEL_UNAVAILABLE after stop.
func (f *inflight) begin(key string) (c *call, first bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	if f.stopped {
		return nil, false, parley.NoModelAnswer(parley.ModelCancelled, "the daemon is ending").
			Suggest("Send it again when the daemon runs again.")
	}

	if c := f.calls[key]; c != nil {
		return c, false, nil
	}

	if f.calls == nil {
		f.calls = map[string]*call{}
	}

	c = &call{done: make(chan struct{})}
	f.calls[key] = c
	f.group.Add(1)

	return c, true, nil
}

// end hands the result of a call to everyone who waits for it.
func (f *inflight) end(key string, c *call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.calls, key)
	close(c.done)
	f.group.Done()
}

// find returns the call under way, nil for none.
func (f *inflight) find(key string) *call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[key]
}

// cancelOnStop makes stop call cancel, until forget is called.
func (f *inflight) cancelOnStop(cancel context.CancelFunc) (forget func()) {
	f.mu.Lock()
	defer f.mu.Unlock()

	if f.stopped {
		cancel()
	}
	if f.cancels == nil {
		f.cancels = map[*context.CancelFunc]bool{}
	}
	f.cancels[&cancel] = true

	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.cancels, &cancel)
	}
}

// len returns how many calls are under way.
func (f *inflight) len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.calls)
}

// stop cancels the calls under way and lets no other begin.
func (f *inflight) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	for cancel := range f.cancels {
		(*cancel)()
	}
}

// acquire waits until a responder has answered the earlier messages of the same conversation, so
// that its model is told all of them, and until fewer than most of its questions are under way.
func (f *inflight) acquire(ctx context.Context, conversation, responder string, most int) (release func(), err error) {
	leave, err := enter(ctx, f.slots(&f.conversations, conversation, 1))
	if err != nil {
		return nil, err
	}

	free, err := enter(ctx, f.slots(&f.models, responder, most))
	if err != nil {
		leave()
		return nil, err
	}

	return func() { free(); leave() }, nil
}

// slots returns the channel of a name, with room for n. It stays for the daemon's life.
func (f *inflight) slots(all *map[string]chan struct{}, name string, n int) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	if *all == nil {
		*all = map[string]chan struct{}{}
	}
	if (*all)[name] == nil {
		(*all)[name] = make(chan struct{}, n)
	}
	return (*all)[name]
}

func enter(ctx context.Context, slots chan struct{}) (leave func(), err error) {
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

package orchestrator

import (
	"context"
	"sync"

	"parley"
	"parley/orchestrator/team"
)

// exchange is a message that a model is answering.
type exchange struct {
	done  chan struct{} // closed when reply and err are there
	reply *parley.Reply
	err   error
}

// exchanges are those under way. One that is repeated meanwhile waits for the first: a
// model is asked once.
type exchanges struct {
	mu     sync.Mutex
	open   map[string]*exchange     // see exchangeOf
	places map[string]chan struct{} // full while the model answers there; see place
	models map[string]chan struct{} // of each responder, as full as its model is asked at once
	closed bool                     // the daemon ends
	group  sync.WaitGroup           // of those that are open
}

// exchangeOf names the exchange of a message and a responder. A thread's post may have
// many.
func exchangeOf(msg *parley.Message, to *team.Member) string {
	if msg.Kind == parley.KindThread {
		return msg.ID + " " + to.ID
	}
	return msg.ID
}

// begin notes that a message is going to be answered. Who is first calls end. The error
// is that of a daemon at its end.
func (x *exchanges) begin(name string) (e *exchange, first bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()

	if x.closed {
		return nil, false, parley.NoModelAnswer(parley.ModelCancelled, "the daemon is ending").
			Suggest("Send it again when the daemon runs again.")
	}

	if x.open == nil {
		x.open = map[string]*exchange{}
	}
	if e := x.open[name]; e != nil {
		return e, false, nil
	}

	e = &exchange{done: make(chan struct{})}
	x.open[name] = e
	x.group.Add(1)

	return e, true, nil
}

func (x *exchanges) end(name string, e *exchange) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.open, name)
	close(e.done)
	x.group.Done()
}

// close lets none begin any more.
func (x *exchanges) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
}

// find returns the exchange that is under way, nil for none.
func (x *exchanges) find(name string) *exchange {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.open[name]
}

// wait returns what comes of an exchange.
func (e *exchange) wait(ctx context.Context) (*parley.Reply, error) {
	select {
	case <-e.done:
		return e.reply, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// turn waits until a responder is done with those who wrote to it before in the same
// place, as what it is told of that must be whole; and until its model is asked less
// than most times at once.
func (x *exchanges) turn(ctx context.Context, place, responder string, most int) (done func(), err error) {
	leave, err := enter(ctx, x.lock(&x.places, place, 1))
	if err != nil {
		return nil, err
	}
	rest, err := enter(ctx, x.lock(&x.models, responder, most))
	if err != nil {
		leave()
		return nil, err
	}
	return func() { rest(); leave() }, nil
}

// lock returns that of a name, which has room for so many. It stays for the daemon's
// life.
func (x *exchanges) lock(locks *map[string]chan struct{}, name string, room int) chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if *locks == nil {
		*locks = map[string]chan struct{}{}
	}
	if (*locks)[name] == nil {
		(*locks)[name] = make(chan struct{}, room)
	}
	return (*locks)[name]
}

func enter(ctx context.Context, lock chan struct{}) (leave func(), err error) {
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

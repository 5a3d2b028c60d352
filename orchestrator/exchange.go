package orchestrator

import (
	"context"
	"sync"

	"parley"
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
	mu    sync.Mutex
	open  map[string]*exchange     // by message
	pairs map[string]chan struct{} // by conversation: full while the model answers in it
}

// begin notes that a message is going to be answered. Its caller calls end.
func (x *exchanges) begin(messageID string) (e *exchange, first bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.open == nil {
		x.open = map[string]*exchange{}
	}
	if e := x.open[messageID]; e != nil {
		return e, false
	}
	e = &exchange{done: make(chan struct{})}
	x.open[messageID] = e
	return e, true
}

func (x *exchanges) end(messageID string, e *exchange) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.open, messageID)
	close(e.done)
}

// find returns the exchange about a message that is under way, nil for none.
func (x *exchanges) find(messageID string) *exchange {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.open[messageID]
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
// conversation: what it is told of that must be whole.
func (x *exchanges) turn(ctx context.Context, conversation string) (done func(), err error) {
	x.mu.Lock()
	if x.pairs == nil {
		x.pairs = map[string]chan struct{}{}
	}
	lock := x.pairs[conversation]
	if lock == nil {
		lock = make(chan struct{}, 1)
		x.pairs[conversation] = lock
	}
	x.mu.Unlock()
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

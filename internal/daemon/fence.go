package daemon

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"

	"parley"
	"parley/op"
)

// authenticate returns the owner of a key, for all faces. One of the operator's counts only where no agent's
// process shows it: programs in an agent's terminal may have inherited it, or found it. Shown there, it is the
// agent that calls; where parley cannot tell who shows it, the caller is unplaced.
func (d *daemon) authenticate(ctx context.Context, key string) (parley.Caller, bool) {
	caller, ok := d.orchestrator.Callers.Authenticate(ctx, key)
	if !ok || !caller.Operator {
		return caller, ok
	}
	return fenced(ctx, caller), true
}

// session returns the caller of a session of the page, but never for an agent's process.
func (d *daemon) session(ctx context.Context, publicKey string, from parley.Device) (parley.Caller, bool) {
	caller, ok := d.orchestrator.Callers.Session(publicKey, from)
	if !ok {
		return caller, false
	}
	return fenced(ctx, caller), true
}

// enterPage turns a one-time code of the page into a session, but never for an agent's process.
func (d *daemon) enterPage(ctx context.Context, entry parley.PageEntry) (*parley.PageSession, error) {
	if who := fenced(ctx, d.orchestrator.Callers.Operator()); !who.Operator {
		return nil, op.KeyNotHere()
	}
	return d.orchestrator.Keys.EnterPage(ctx, entry)
}

// answerByCode answers a dialog with the code of a notice, but never for an agent's process: one may read notices.
func (d *daemon) answerByCode(ctx context.Context, code string) (*parley.AnswerDialogResult, error) {
	if who := fenced(ctx, d.orchestrator.Callers.Operator()); !who.Operator {
		return nil, op.KeyNotHere()
	}
	return d.orchestrator.Keys.AnswerByCode(ctx, code)
}

// fenced returns who calls with a key of the operator's.
func fenced(ctx context.Context, operator parley.Caller) parley.Caller {
	var behind []parley.Caller
	if c, ok := ownerOf(ctx); ok {
		return c
	}
	if p, ok := ctx.Value(peerKey{}).(*process); ok {
		behind = []parley.Caller{p.current()}
	} else if end, ok := ctx.Value(farEndKey{}).(*farEnd); ok {
		behind = end.callers()
	}

	for _, c := range behind {
		if !c.Nobody() && !c.Operator || c.Unplaced {
			return c
		}
	}

	return operator
}

type farEndKey struct{}

// farEnd is the other end of a TCP connection.
type farEnd struct {
	who      callers
	from, to netip.AddrPort

	mu         sync.Mutex
	known      []parley.Caller
	placements int64 // the count for which known was determined, plus one; 0 if it was not yet
}

// farEndOf returns the other end of a connection.
func farEndOf(who callers, conn net.Conn) *farEnd {
	from, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	to, err2 := netip.ParseAddrPort(conn.LocalAddr().String())
	if err != nil || err2 != nil {
		return &farEnd{who: who} // which is nowhere
	}
	return &farEnd{who: who, from: from, to: to}
}

// callers returns who may be behind the connection: nobody for one from another machine or of another user.
// One from this machine whose process is not found is unplaced.
func (e *farEnd) callers() []parley.Caller {
	e.mu.Lock()
	defer e.mu.Unlock()

	n := e.who.Placements() + 1
	if n == e.placements {
		return e.known
	}

	e.known = nil
	pids, isOthers := holders(e.from, e.to)
	for _, pid := range pids {
		e.known = append(e.known, e.who.CallerOfProcess(pid))
	}
	if len(pids) == 0 && !isOthers && isHere(e.from, e.to) {
		e.known = []parley.Caller{{Unplaced: true}}
	}
	e.placements = n

	return e.known
}

// isHere reports whether a connection comes from this machine, by its addresses.
func isHere(from, to netip.AddrPort) bool {
	address := from.Addr().Unmap().WithZone("")
	if !address.IsValid() || address.IsLoopback() || address == to.Addr().Unmap().WithZone("") {
		return true
	}
	own, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(own, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err == nil && prefix.Addr().Unmap().WithZone("") == address
	})
}

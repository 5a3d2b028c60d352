package courier

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"parley"
	"parley/store"
	"parley/store/storetest"
)

// TestSimulatedStoreDoesAsTheRealOne makes the same random calls to both.
func TestSimulatedStoreDoesAsTheRealOne(t *testing.T) {
	for seed := range uint64(8) {
		c := newContract(t, seed)
		for range 120 {
			c.call()
		}
	}
}

// contract is one run of the same calls to both stores.
type contract struct {
	*rand.Rand
	t    *testing.T
	ctx  context.Context
	real *store.Store
	sim  memoryStore
	ids  []string
	keys []store.Key
	last string
}

func newContract(t *testing.T, seed uint64) *contract {
	c := &contract{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, ctx: t.Context(), real: storetest.Open(t)}
	for i, id := range []string{agentID, "12345678-0000-4000-8000-000000000000"} {
		a := parley.Agent{ID: id, Name: fmt.Sprint("agent-", i), Kind: parley.KindTerminal, State: parley.StateIdle}
		must(0, c.real.Agents.CreateAgent(c.ctx, a, nil))
	}
	return c
}

func (c *contract) call() {
	if len(c.keys) < 3 || c.IntN(12) == 0 {
		c.append()
		return
	}
	i := c.IntN(len(c.keys))
	k := c.keys[i]
	switch c.IntN(8) {
	case 0, 1, 2:
		c.last = fmt.Sprint("claim ", i)
		if c.IntN(4) == 0 {
			c.last += " for the door"
			c.same(c.real.Deliveries.ClaimDoor(c.ctx, k), c.sim.ClaimDoor(c.ctx, k))
			break
		}
		if c.IntN(6) == 0 {
			c.last += " for the argument"
			c.same(c.real.Deliveries.ClaimArgument(c.ctx, k), c.sim.ClaimArgument(c.ctx, k))
			break
		}
		seq := uint64(c.IntN(9) + 1)
		c.same(c.real.Deliveries.Claim(c.ctx, k, seq, seq%2 == 0), c.sim.Claim(c.ctx, k, seq, seq%2 == 0))
	case 3, 4, 5:
		changes := c.changes()
		c.last = fmt.Sprint("advance ", i, changes)
		c.same(c.real.Deliveries.Advance(c.ctx, k, changes...), c.sim.Advance(c.ctx, k, changes...))
	case 6:
		c.last = fmt.Sprint("retry ", i)
		jobs, err := c.real.Deliveries.Retry(c.ctx, c.ids[i],
			[]store.NewDelivery{{RecipientID: agentID, State: parley.DeliveryQueued}})
		_, begun := c.sim.retry(k)
		if err != nil || len(jobs) == 1 != begun {
			c.t.Fatalf("%s: %v, %v, the simulated one %v", c.last, jobs, err, begun)
		}
	default:
		c.last = fmt.Sprint("attest ", i)
		w := store.Witness{RecipientID: agentID, Refs: []string{c.ids[i]}, Evidence: "it says so",
			At: time.Now().Add(-time.Duration(c.IntN(2)) * time.Hour), MayRefuse: c.IntN(3) == 0}
		_, err := c.real.Deliveries.Attest(c.ctx, w)
		c.sim.attest(agentID, w.Refs, w.At, w.MayRefuse)
		c.same(err, nil)
	}
	c.compare()
}

func (c *contract) append() {
	n := len(c.keys)
	m := parley.Message{
		ID:       fmt.Sprintf("%08x-0000-4000-8000-00000000000%d", c.Uint32(), n%10),
		SenderID: "12345678-0000-4000-8000-000000000000",
		Kind:     parley.KindDirect, Type: parley.TypeInformation, Priority: parley.PriorityNormal, Text: "hello",
		Timestamp: time.Now(),
	}
	if c.IntN(3) == 0 {
		m.Priority = parley.PriorityUrgent
	}
	_, err := c.real.Messages.Append(c.ctx, store.Post{
		Message: m, Event: parley.EventDirectMessage,
		Deliveries: []store.NewDelivery{{RecipientID: agentID, State: parley.DeliveryQueued}},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	jobs, err := c.real.Deliveries.PendingAmong(c.ctx, agentID, []string{m.ID})
	if err != nil || len(jobs) != 1 {
		c.t.Fatalf("a new message: %v, %v", jobs, err)
	}
	c.sim.add(m, jobs[0].Key)
	c.ids, c.keys = append(c.ids, m.ID), append(c.keys, jobs[0].Key)
}

func (c *contract) changes() []store.Change {
	states := []parley.DeliveryState{
		parley.DeliveryHeld, parley.DeliveryQueued, parley.DeliveryTyping, parley.DeliverySubmitted,
		parley.DeliveryRead,
		parley.DeliveryUnconfirmed, parley.DeliveryExpired,
	}
	n := c.IntN(len(states))
	change := store.Change{State: states[n], Cause: parley.HoldBusy.In("why")}
	if change.State == parley.DeliveryUnconfirmed {
		codes := []parley.ReasonCode{parley.HoldBusy, parley.EndedDoorSilent, parley.EndedUndone}
		change.Cause = codes[c.IntN(len(codes))].In("why")
	}
	if change.State == parley.DeliverySubmitted || change.State == parley.DeliveryRead {
		change = store.Change{State: states[n], Cause: parley.ProofReport.In("proof")}
	}
	changes := []store.Change{change}
	if change.State == parley.DeliverySubmitted && c.IntN(2) == 0 {
		changes = append(changes,
			store.Change{State: parley.DeliveryRead, Cause: parley.ProofFullText.In("proof")})
	}
	return changes
}

// same compares what two calls returned.
func (c *contract) same(got, want error) {
	if (got == nil) != (want == nil) ||
		got != nil && errors.Is(got, store.ErrStale) != errors.Is(want, store.ErrStale) {
		c.t.Fatalf("%s: the real store returned %v, the simulated one %v", c.last, got, want)
	}
}

// compare compares what both would hand to a courier.
func (c *contract) compare() {
	for what, lists := range map[string][2][]store.Job{
		"pending": {must(c.real.Deliveries.Pending(c.ctx, agentID, 4)), must(c.sim.Pending(c.ctx, agentID, 4))},
		"among": {must(c.real.Deliveries.PendingAmong(c.ctx, agentID, c.ids[:3])),
			must(c.sim.PendingAmong(c.ctx, agentID, c.ids[:3]))},
		"silent": {must(c.real.Deliveries.Silent(c.ctx, agentID)), must(c.sim.Silent(c.ctx, agentID))},
		"typing": {must(c.real.Deliveries.Typing(c.ctx, agentID)), must(c.sim.Typing(c.ctx, agentID))},
	} {
		got, want := words(lists[0]), words(lists[1])
		if got != want {
			c.t.Fatalf("after %s, %s:\nreal      %s\nsimulated %s", c.last, what, got, want)
		}
	}
}

func words(jobs []store.Job) string {
	text := ""
	for _, j := range jobs {
		text += fmt.Sprintf("%d %s %s %q %s %d %v; ", j.Key.MessageSeq, j.Message.ID, j.State, j.Words(), j.Code(),
			j.PaneSeq, j.Announced)
	}
	return text
}

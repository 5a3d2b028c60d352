package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/wait"
)

// addWait adds --wait[=SECONDS] and returns what reads it.
func addWait(cmd *cobra.Command) func() time.Duration {
	seconds := cmd.Flags().Uint32("wait", 0, "wait until the delivery is proven, at most this many seconds")
	cmd.Flag("wait").NoOptDefVal = "30"
	return func() time.Duration { return time.Duration(*seconds) * time.Second }
}

var detached = regexp.MustCompile(`^[0-9]{1,4}s?$`)

// detachedWait refuses "--wait 30": without the equals sign, the number would become a
// part of the text.
func detachedWait(root *cobra.Command, args []string) error {
	cmd, _, err := root.Find(args)
	if err != nil || cmd.Flags().Lookup("wait") == nil {
		return nil
	}

	for i, arg := range args[:len(args)-1] {
		switch {
		case arg == "--":
			return nil
		case arg == "--wait" && detached.MatchString(args[i+1]):
			return usageError{fmt.Errorf("--wait %s would make %s a part of the text", args[i+1], args[i+1]),
				fmt.Sprintf(
					"For seconds write --wait=%s; text goes before --wait.", strings.TrimSuffix(args[i+1], "s"),
				)}
		}
	}

	return nil
}

// sent points to a message's deliveries in the result of its command.
type sent struct {
	id         string
	deliveries *[]parley.Delivery
	status     *parley.DeliveryStatus
}

// receipts tell what has become of messages.
type receipts struct{ cli *cli }

// print prints what is proven so far and, with --wait, waits for the rest.
func (r receipts) print(ctx context.Context, res any, sentence string, s sent, patience time.Duration) error {
	if r.cli.out.json {
		waitErr := r.await(ctx, s, patience)
		if err := r.cli.out.printJSON(res); err != nil {
			return err
		}
		return silently(waitErr)
	}

	r.cli.out.printf("%s (msg %s) %s\n", sentence, parley.Short(s.id), r.rungs(*s.deliveries))
	if patience <= 0 {
		return r.printHeld(ctx, s)
	}

	err := r.await(ctx, s, patience)
	r.printLadders(*s.deliveries)

	return err
}

func (r receipts) printSent(ctx context.Context, to string, res *parley.SendMessageResult, wait time.Duration) error {
	if !res.Success {
		return r.undeliverable(ctx, to, res)
	}
	return r.print(ctx, res, res.Status, sent{res.MessageID, &res.Deliveries, &res.DeliveryStatus}, wait)
}

// silently drops the words of an error that the result already tells; the exit status
// stays 1.
func silently(err error) error {
	if err != nil {
		return exitCode(1)
	}
	return nil
}

// rungs sums up deliveries: the state of a single one, else the number in each state.
func (r receipts) rungs(deliveries []parley.Delivery) string {
	var order []parley.DeliveryState
	count := map[parley.DeliveryState]int{}
	for _, d := range deliveries {
		if count[d.State]++; count[d.State] == 1 {
			order = append(order, d.State)
		}
	}

	if len(order) == 1 && len(deliveries) == 1 {
		return r.cli.out.paint(rungStyle(order[0]), string(order[0])) + because(deliveries[0])
	}

	var parts []string
	for _, s := range order {
		parts = append(parts, r.cli.out.paint(rungStyle(s), fmt.Sprintf("%d %s", count[s], s)))
	}

	return strings.Join(parts, ", ")
}

func because(d parley.Delivery) string {
	switch warning := d.Warning(); {
	case warning != "":
		return ": " + warning
	case d.Reason == "" && d.WaitsFor == "" || d.State.Delivered():
		return ""
	}
	return ": " + cmp.Or(d.WaitsFor, d.Reason)
}

// await follows a message until all deliveries are settled or the time is over, with
// progress on a terminal. It fails unless all are proven.
func (r receipts) await(ctx context.Context, s sent, wait time.Duration) error {
	if wait <= 0 {
		return nil
	}

	short := parley.Short(s.id)
	r.cli.out.goesOn = fmt.Sprintf("The message goes its way without you: parley message %s shows how far it is.",
		short)
	until := r.cli.out.now().Add(wait)
	progress := r.cli.out.passing()
	defer progress.clear()
	for !settled(*s.deliveries) {
		left := until.Sub(r.cli.out.now())
		if left <= 0 {
			break
		}

		step := min(left, time.Minute)
		if progress.visible() {
			step = min(step, time.Second)
			progress.show("%s, %d s left", r.rungs(*s.deliveries), int(left.Seconds()))
		}

		seconds := strconv.Itoa(max(1, int(step.Seconds())))
		res, err := call[parley.MessageStatusResult](
			ctx, r.cli, "get_message_status", url.Values{"message_id": {s.id}, "wait_seconds": {seconds}},
		)
		if err != nil {
			return err
		}

		*s.deliveries, *s.status = res.Deliveries, res.DeliveryStatus
	}

	progress.clear()

	return r.unproven(ctx, s)
}

func settled(deliveries []parley.Delivery) bool {
	for _, d := range deliveries {
		if !d.State.Settled() {
			return false
		}
	}
	return true
}

// heldWithin is how long a command that does not wait looks for why a message is held. An agent's terminal is judged
// within milliseconds.
const (
	heldWithin = time.Second
	heldLook   = 50 * time.Millisecond
)

// printHeld says whom a message reaches only once somebody has acted, why, and how, as far as that is known soon.
func (r receipts) printHeld(ctx context.Context, s sent) error {
	soon, stop := context.WithTimeout(ctx, heldWithin)
	defer stop()
	untold := func(d parley.Delivery) bool { return d.State == parley.DeliveryQueued && because(d) == "" }
	said := !slices.ContainsFunc(*s.deliveries, untold)
	_ = wait.Until(soon, heldLook, func() (bool, error) {
		if !slices.ContainsFunc(*s.deliveries, untold) {
			return true, nil
		}
		res, err := call[parley.MessageStatusResult](soon, r.cli, "get_message_status",
			url.Values{"message_id": {s.id}})
		if err == nil {
			*s.deliveries = res.Deliveries
		}
		return false, err
	})

	held := slices.DeleteFunc(slices.Clone(*s.deliveries), func(d parley.Delivery) bool {
		return because(d) == "" || !cmp.Or(d.WaitsCode, d.ReasonCode).HasRelease()
	})
	behind, next := r.behind(ctx, held)
	if !said {
		for _, words := range behind[:min(len(behind), mostBetween)] {
			r.cli.out.printf("%s\n", r.cli.out.folded(words, 2))
		}
	}
	if next != "" {
		r.cli.out.printf("%s\n", r.cli.out.folded(r.cli.out.paint(faint, "  → ")+next, 4))
	}
	return nil
}

// unproven returns nil if all deliveries are proven, else an error with their states.
func (r receipts) unproven(ctx context.Context, s sent) error {
	behind, next := r.behind(ctx, *s.deliveries)
	if behind == nil {
		return nil
	}
	return parley.Errorf(parley.AgentUnavailable, "not proven to be delivered: %s", strings.Join(behind, "; ")).
		Suggest("%s", cmp.Or(next, fmt.Sprintf("Look again with: parley message %s --wait", parley.Short(s.id))))
}

// behind says how far the deliveries are that are not proven, and what lets one go that does not go by itself.
func (r receipts) behind(ctx context.Context, deliveries []parley.Delivery) (words []string, next string) {
	for _, d := range deliveries {
		if d.State.Delivered() {
			continue
		}
		words = append(words, d.Recipient+" is "+string(d.State)+because(d))
		if code := cmp.Or(d.WaitsCode, d.ReasonCode); code.HasRelease() {
			next = code.Release(r.agent(ctx, d.Recipient))
		}
	}
	return words, next
}

// agent returns an agent: with its name alone if the daemon does not say more.
func (r receipts) agent(ctx context.Context, name string) parley.Agent {
	res, err := call[parley.AgentStatusResult](ctx, r.cli, "get_agent_status", url.Values{"agent": {name}})
	if err != nil || len(res.Agents) == 0 {
		return parley.Agent{Name: name}
	}
	return res.Agents[0].Agent
}

// printLadders shows the states of each delivery with their times and evidence.
func (r receipts) printLadders(deliveries []parley.Delivery) {
	for _, d := range deliveries {
		r.cli.out.printf("%s: %s%s\n", r.cli.out.paint(bold, d.Recipient),
			r.cli.out.paint(rungStyle(d.State), string(d.State)), because(d))
		var t table
		for _, step := range d.Steps {
			at := r.cli.out.paint(faint, step.At.Local().Format("15:04:05.000"))
			t.add("  "+at, string(step.State), step.Evidence)
		}
		t.print(r.cli.out)
	}
}

// undeliverable reports a message that is stored but has no live recipient.
func (r receipts) undeliverable(ctx context.Context, to string, res *parley.SendMessageResult) error {
	if r.cli.out.json {
		return errors.Join(r.cli.out.printJSON(res), exitCode(1))
	}

	a := r.agent(ctx, to)
	e := parley.Errorf(res.ErrorCode, "%s is stopped", a.Name)
	switch {
	case a.Kind != parley.KindTerminal || a.Adopted():
		return e.Suggest("Send to another; parley agents lists them.")
	case res.MessageID == "":
		return e.Suggest("parley restart %s starts it again; then send it once more.", a.Name)
	}

	return e.Suggest("parley restart %[1]s starts it again; then parley retry %[2]s types the message.",
		a.Name, parley.Short(res.MessageID))
}

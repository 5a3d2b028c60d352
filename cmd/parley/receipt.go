package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley"

	"github.com/spf13/cobra"
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

// receipt prints what is proven so far and, with --wait, waits for the rest.
func receipt(ctx context.Context, c *cli, res any, sentence string, s sent, wait time.Duration) error {
	if c.json {
		waitErr := awaitProof(ctx, c, s, wait)
		if err := c.printJSON(res); err != nil {
			return err
		}
		return silently(waitErr)
	}

	c.printf("%s (msg %s) %s\n", sentence, parley.Short(s.id), rungs(&c.output, *s.deliveries))
	if wait <= 0 {
		return nil
	}

	err := awaitProof(ctx, c, s, wait)
	printLadders(&c.output, *s.deliveries)

	return err
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
func rungs(o *output, deliveries []parley.Delivery) string {
	var order []parley.DeliveryState
	count := map[parley.DeliveryState]int{}
	for _, d := range deliveries {
		if count[d.State]++; count[d.State] == 1 {
			order = append(order, d.State)
		}
	}

	if len(order) == 1 && len(deliveries) == 1 {
		return o.paint(rungStyle(order[0]), string(order[0])) + because(deliveries[0])
	}

	var parts []string
	for _, s := range order {
		parts = append(parts, o.paint(rungStyle(s), fmt.Sprintf("%d %s", count[s], s)))
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

// awaitProof follows a message until all deliveries are settled or the time is over, with
// progress on a terminal. It fails unless all are proven.
func awaitProof(ctx context.Context, c *cli, s sent, wait time.Duration) error {
	if wait <= 0 {
		return nil
	}

	short := parley.Short(s.id)
	c.goesOn = fmt.Sprintf("The message goes its way without you: parley message %s shows how far it is.", short)
	until := c.now().Add(wait)
	progress := !c.json && redraws(c.env, c.err)
	for !settled(*s.deliveries) {
		left := until.Sub(c.now())
		if left <= 0 {
			break
		}

		step := min(left, time.Minute)
		if progress {
			step = min(step, time.Second)
			fmt.Fprintf(c.err, "\r\x1b[K%s, %d s left", rungs(&c.output, *s.deliveries), int(left.Seconds()))
		}

		seconds := strconv.Itoa(max(1, int(step.Seconds())))
		res, err := invoke[parley.MessageStatusResult](
			ctx, c, "get_message_status", url.Values{"message_id": {s.id}, "wait_seconds": {seconds}},
		)
		if err != nil {
			if progress {
				fmt.Fprint(c.err, "\r\x1b[K") // with the ^C that the terminal may have shown there
			}
			return err
		}

		*s.deliveries, *s.status = res.Deliveries, res.DeliveryStatus
	}

	if progress {
		fmt.Fprint(c.err, "\r\x1b[K")
	}

	return unproven(ctx, c, s)
}

func settled(deliveries []parley.Delivery) bool {
	for _, d := range deliveries {
		if !d.State.Settled() {
			return false
		}
	}
	return true
}

// unproven returns nil if all deliveries are proven, else an error with their states.
func unproven(ctx context.Context, c *cli, s sent) error {
	var behind []string
	next := fmt.Sprintf("Look again with: parley message %s --wait", parley.Short(s.id))
	for _, d := range *s.deliveries {
		if d.State.Delivered() {
			continue
		}
		behind = append(behind, d.Recipient+" is "+string(d.State)+because(d))
		if code := cmp.Or(d.WaitsCode, d.ReasonCode); code.HasRelease() {
			next = code.Release(agentNamed(ctx, c, d.Recipient))
		}
	}
	if behind == nil {
		return nil
	}
	return parley.Errorf(parley.AgentUnavailable, "not proven to be delivered: %s", strings.Join(behind, "; ")).
		Suggest("%s", next)
}

// agentNamed returns an agent: with its name alone if the daemon does not say more.
func agentNamed(ctx context.Context, c *cli, name string) parley.Agent {
	res, err := invoke[parley.AgentStatusResult](ctx, c, "get_agent_status", url.Values{"agent": {name}})
	if err != nil || len(res.Agents) == 0 {
		return parley.Agent{Name: name}
	}
	return res.Agents[0].Agent
}

// printLadders shows the states of each delivery with their times and evidence.
func printLadders(o *output, deliveries []parley.Delivery) {
	for _, d := range deliveries {
		o.printf("%s: %s%s\n", o.paint(bold, d.Recipient), o.paint(rungStyle(d.State), string(d.State)), because(d))
		var t table
		for _, step := range d.Steps {
			at := o.paint(faint, step.At.Local().Format("15:04:05.000"))
			t.add("  "+at, string(step.State), step.Evidence)
		}
		t.print(o)
	}
}

// undeliverable reports a message that is stored but has no live recipient.
func undeliverable(ctx context.Context, c *cli, to string, res *parley.SendMessageResult) error {
	if c.json {
		return errors.Join(c.printJSON(res), exitCode(1))
	}

	a := agentNamed(ctx, c, to)
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

package main

import (
	"context"
	"fmt"
	"slices"

	"parley"
	"parley/internal/daemon"
	"parley/op"
)

var notifyCommand = family{
	use:     "notify",
	short:   "Test how parley tells you what needs you while you are away",
	example: "  parley notify test",
	members: commands{testNoticeCommand},
}

var testNoticeCommand = operation[parley.SendTestNoticeResult]{
	op:      "send_test_notice",
	use:     "test",
	short:   "Send a notice by all ways that parley.yaml names",
	example: "  parley notify test",
	print: func(o *output, res *parley.SendTestNoticeResult) error {
		var t table
		for _, w := range res.Ways {
			if w.Works {
				t.add(o.paint(green, "sent"), w.Way)
				continue
			}
			t.add(o.paint(red, "failed"), w.Way, w.Problem)
		}
		t.print(o)

		return nil
	},
	failed: func(res *parley.SendTestNoticeResult) bool {
		return slices.ContainsFunc(res.Ways, func(w parley.NoticeWay) bool { return !w.Works })
	},
}

// checkNotify asks a running daemon whether its notices go.
func (d *doctor) checkNotify(ctx context.Context) (f findings) {
	info, err := daemon.ReadInfo(d.at)
	if err != nil || healthy(ctx, "unix", info.Socket) != nil {
		return f
	}

	service := d.cli.at.clientOf(info)
	defer service.Close()
	if status, err := op.GetWorkspaceStatus.Call(ctx, service, parley.WorkspaceStatusRequest{}); err == nil {
		noticesFound(&f, status.Notices)
	}

	return f
}

// noticesFound adds what doctor finds of the ways by which notices go.
func noticesFound(f *findings, ways []parley.NoticeWay) {
	for _, w := range ways {
		if !w.Works {
			f.bad("notify", "Correct notify: in parley.yaml, or what it names, and try parley notify test.",
				"no notice goes by the %s: %s", w.Way, w.Problem)
			continue
		}
		words := fmt.Sprintf("%s, none sent yet", w.Way)
		if w.Sent > 0 {
			words = fmt.Sprintf("%s, %s sent", w.Way, count(w.Sent, "notice"))
		}
		f.ok("notify", "%s", words)
	}
}

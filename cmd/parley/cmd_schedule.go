package main

import (
	"context"
	"maps"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/when"
	"parley/plain"
)

// addPlan adds the flags that plan a message, and returns what adds their parameters, and reports whether one is given.
func addPlan(cmd *cobra.Command, c *cli) func(url.Values) bool {
	read := addFlags(cmd, "schedule_message", []string{"at", "every", "zone", "name", "start"})
	cmd.Flag("at").Usage = `send it at a time to come, such as 18:00 or "2026-12-01 10:00"`
	cmd.Flag("every").Usage = `send it again and again: "weekdays 9:00", "daily 18:00", 30m, or five fields of cron`
	cmd.Flag("zone").Usage = "the zone of these times, such as Europe/Berlin (default: the one here)"
	cmd.Flag("name").Usage = "name what is planned; what you planned under the name before is replaced"
	cmd.Flag("start").Usage = "when it is time, start recipients that are stopped"
	in := cmd.Flags().String("in", "", "send it after a time, such as 2h")
	cmd.MarkFlagsMutuallyExclusive("at", "in", "every")
	for _, later := range []string{"at", "in", "every"} {
		cmd.MarkFlagsMutuallyExclusive(later, "wait")
	}

	return func(values url.Values) bool {
		plan := read()
		if *in != "" {
			plan.Set("at", "in "+*in)
		}
		if len(plan) == 0 {
			return false
		}
		if zone := when.ZoneName(c.at.env.Get("TZ")); zone != "" && !plan.Has("zone") {
			plan.Set("zone", zone)
		}
		maps.Copy(values, plan)
		if values.Get("urgent") == "true" {
			values.Set("priority", string(parley.PriorityUrgent))
			values.Del("urgent")
		}

		return true
	}
}

// printPlanned plans a message.
func printPlanned(ctx context.Context, c *cli, values url.Values) error {
	res, err := call[parley.ScheduleMessageResult](ctx, c, "schedule_message", values)
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.printJSON(res)
	}
	return c.out.printLine(res.Message)
}

type scheduleCommand struct{}

func (scheduleCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.ListSchedulesResult]{
		op:    "list_schedules",
		use:   "schedule",
		short: "List what is planned; pause, resume or remove it",
		example: `  parley schedule
  parley schedule pause standup
  parley schedule remove 1a2b3c4d`,
		args:  noSuchCommand,
		flags: []string{"agent"},
		print: func(o *output, res *parley.ListSchedulesResult) error {
			if len(res.Schedules) == 0 {
				return o.printLine(`Nothing is planned. Plan a message: parley send NAME TEXT --at 18:00`)
			}
			for i := range res.Schedules {
				schedulePrinter{o}.print(&res.Schedules[i])
			}
			return nil
		},
	}.declare(c)
	_ = cmd.RegisterFlagCompletionFunc("agent", completer{c}.completeAgents)
	cmd.AddCommand(commands{
		changeScheduleCommand(parley.PauseSchedule, "Pause a schedule"),
		changeScheduleCommand(parley.ResumeSchedule,
			"Resume a schedule"),
		changeScheduleCommand(parley.RemoveSchedule, "Remove a schedule; its messages stay"),
	}.declare(c)...)

	return cmd
}

func changeScheduleCommand(action parley.ScheduleAction, short string) operation[parley.ChangeScheduleResult] {
	return operation[parley.ChangeScheduleResult]{
		op:       "change_schedule",
		use:      string(action) + " ID|NAME",
		short:    short,
		example:  "  parley schedule " + string(action) + " 1a2b3c4d",
		complete: firstAgents(0),
		fill: func(args []string, to url.Values) error {
			to.Set("action", string(action))
			to.Set("schedule_id", args[0])
			return nil
		},
	}
}

// schedulePrinter prints schedules for a person.
type schedulePrinter struct{ out *output }

// print shows a schedule: when its messages come, what they say, and what came of the last.
func (p schedulePrinter) print(s *parley.Schedule) {
	now := time.Now()
	p.out.printf("%s  %s\n", p.out.paint(bold, parley.Short(s.ID)), s.Words(now))
	about := "from " + s.Owner
	if s.Name != "" {
		about = s.Name + ", " + about
	}
	if s.Start {
		about += ", starts who is stopped"
	}
	p.out.printf("  %s: %s\n", about, plain.Truncate(plain.CleanLine(s.Message.Text), 80))
	if l := s.Last; l != nil {
		p.out.printf("  %s\n", p.out.folded(p.out.paint(faint, "last: "+s.Clock(l.Due, now)+" "+l.Words()), 2))
	}
}

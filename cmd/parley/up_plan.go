package main

import (
	"context"
	"net/url"
	"strings"

	"parley"
	"parley/internal/when"
)

// plan has the prompts of the agents come again as the file says, under names of theirs, and no longer those that the
// file lets come no more.
func (u *upRun) plan(ctx context.Context) error {
	if u.dryRun {
		return nil
	}
	planned, err := call[parley.ListSchedulesResult](ctx, u.cli, "list_schedules", nil)
	if err != nil {
		return err
	}
	before := map[string]*parley.Schedule{}
	for i, s := range planned.Schedules {
		if s.Owner == parley.OperatorName && s.State != parley.ScheduleDone {
			before[s.Name] = &planned.Schedules[i]
		}
	}

	for _, s := range u.steps {
		if s.wanted == nil {
			continue
		}
		name := "prompt-" + strings.ToLower(s.name)
		text, err := promptText(s.wanted.Prompt, u.base)
		if err != nil {
			return err
		}
		wanted := url.Values{"to": {s.name}, "text": {text}, "every": {s.wanted.PromptEvery}, "name": {name}}
		zone := s.wanted.PromptZone
		if zone == "" {
			zone = when.ZoneName(u.cli.at.env.Get("TZ"))
		}
		if zone != "" {
			wanted.Set("zone", zone)
		}

		was := before[name]
		switch {
		case s.wanted.PromptEvery == "" && was == nil:
			continue
		case s.wanted.PromptEvery == "":
			err = u.planned(call[parley.ChangeScheduleResult](ctx, u.cli, "change_schedule",
				url.Values{"schedule_id": {was.ID}, "action": {string(parley.RemoveSchedule)}}))
		case was == nil || was.Message.Text != text || was.Every != s.wanted.PromptEvery || was.Zone != zone:
			err = u.planned(call[parley.ScheduleMessageResult](ctx, u.cli, "schedule_message", wanted))
		}
		if err != nil {
			return err
		}
	}

	return nil
}

// planned prints what was planned, or is no longer.
func (u *upRun) planned(res interface{ Said() string }, err error) error {
	if err != nil || u.cli.out.json {
		return err
	}
	return u.cli.out.printLine(res.Said())
}

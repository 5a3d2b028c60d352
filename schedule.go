package parley

import (
	"fmt"
	"strings"
	"time"

	"parley/internal/when"
)

// Schedule is a message that its owner sends at a time to come, or again and again. Each time that comes is one
// ordinary message, admitted as if its owner sent it then, with deliveries of its own; it names the schedule. A time
// is skipped for a recipient who still has an earlier message of the schedule before it. Times that pass while no
// daemon looks come once, late.
type Schedule struct {
	ID       string             `json:"schedule_id"`
	Name     string             `json:"name,omitempty"` // given by the owner; unique among theirs
	OwnerID  string             `json:"owner_agent_id"`
	Owner    string             `json:"owner"`
	Message  SendMessageRequest `json:"message"`         // what is sent each time
	Every    string             `json:"every,omitempty"` // the rule; "" for one time
	Zone     string             `json:"zone"`            // by its name in the IANA database
	Start    bool               `json:"start,omitempty"` // stopped recipients are started
	State    ScheduleState      `json:"state"`
	Next     *time.Time         `json:"next,omitempty"` // nil when no time is left
	Last     *ScheduleOutcome   `json:"last,omitempty"` // what came of the last time; nil before the first
	Created  time.Time          `json:"created_at"`
	InARow   int                `json:"without_message,omitempty"` // times without a message since the last one
	ChainID  string             `json:"-"`                         // of the turn in which an agent made it
	Hop      int                `json:"-"`
	NextFrom time.Time          `json:"-"` // when Next was found
}

// Words says when a schedule's messages come, to whom, and when the next is due.
func (s *Schedule) Words(now time.Time) string {
	to := strings.Join(s.Message.To, ", ")
	switch {
	case s.Message.ThreadID != "":
		to = "thread " + Short(s.Message.ThreadID)
	case strings.EqualFold(to, Everyone):
		to = "everyone"
	}
	words := "to " + to
	if s.Every != "" {
		words += ", " + s.Every + " in " + s.Zone
	}
	switch {
	case s.State != ScheduleActive:
		words += ", " + string(s.State)
	case s.Every != "":
		words += ", next at " + s.Clock(*s.Next, now)
	default:
		words += ", at " + s.Clock(*s.Next, now)
	}
	return words
}

// Clock formats a time for people as the clocks of the schedule's zone show it, and names that unless they show the
// same here.
func (s *Schedule) Clock(t, now time.Time) string {
	zone, err := time.LoadLocation(s.Zone)
	if _, here := t.In(time.Local).Zone(); err == nil {
		if _, there := t.In(zone).Zone(); there != here {
			form := "15:04 on 2 January MST"
			if t.In(zone).Format(time.DateOnly) == now.In(zone).Format(time.DateOnly) {
				form = "15:04 MST"
			}
			return t.In(zone).Format(form)
		}
	}
	return LocalTime(t, now)
}

// ScheduleState says whether a schedule's times come.
type ScheduleState string

// The states of a schedule.
const (
	ScheduleActive ScheduleState = "active"
	SchedulePaused ScheduleState = "paused"
	ScheduleDone   ScheduleState = "done" // no time is left
)

// ScheduleEnd says what came of a time.
type ScheduleEnd string

// What may come of a time.
const (
	ScheduleSent    ScheduleEnd = "sent"
	ScheduleSkipped ScheduleEnd = "skipped" // an earlier message still waits
	ScheduleRefused ScheduleEnd = "refused" // the message was not accepted, or the agent not started
)

// ScheduleOutcome is what came of a time of a schedule.
type ScheduleOutcome struct {
	Due            time.Time       `json:"due"`
	At             time.Time       `json:"at"`
	End            ScheduleEnd     `json:"outcome"`
	Reason         string          `json:"reason,omitempty"`
	Late           bool            `json:"late,omitempty"`
	Missed         int             `json:"missed,omitempty"`     // earlier times that passed while no daemon looked
	MessageID      string          `json:"message_id,omitempty"` // the last message
	DeliveryStatus *DeliveryStatus `json:"delivery_status,omitempty"`
}

// Words says what came of a time, and of its message.
func (o *ScheduleOutcome) Words() string {
	words := string(o.End)
	if o.Late && o.End == ScheduleSent {
		words += " late"
	}
	if o.Missed > 0 {
		words += fmt.Sprintf(", %d earlier missed", o.Missed)
	}
	if o.Reason != "" {
		words += " (" + o.Reason + ")"
	}
	if s := o.DeliveryStatus; s != nil && o.End == ScheduleSent {
		for _, d := range []struct {
			what string
			n    int
		}{{"delivered", len(s.DeliveredTo)}, {"waits", len(s.PendingDelivery)}, {"failed", len(s.FailedDelivery)}} {
			switch all := len(s.DeliveredTo) + len(s.PendingDelivery) + len(s.FailedDelivery); {
			case d.n == all && d.n > 0:
				words += ", " + d.what
			case d.n > 0:
				words += fmt.Sprintf(", %s: %d", d.what, d.n)
			}
		}
	}
	return words
}

// ScheduleMessageRequest plans a message.
type ScheduleMessageRequest struct {
	To               Names       `json:"to,omitempty" alias:"recipient,recipients" doc:"Names or ids; [\"ALL\"] is everyone else."`
	Text             string      `json:"text" alias:"message,content" required:"true" doc:"1 to 2,000 characters."`
	ThreadID         string      `json:"thread_id,omitempty" doc:"Post to this thread, instead of to."`
	At               string      `json:"at,omitempty" doc:"Once: \"18:00\", \"in 2h\", \"2026-12-01 10:00\"." max:"100"`
	Every            string      `json:"every,omitempty" doc:"Or again and again: \"weekdays 9:00\", \"daily 18:00\", \"30m\", a line of cron." max:"100"`
	Zone             string      `json:"zone,omitempty" doc:"Of these times, such as Europe/Berlin; the daemon's by default." max:"60"`
	Name             string      `json:"name,omitempty" doc:"Replaces a schedule of yours with this name." max:"60"`
	Start            bool        `json:"start,omitempty" doc:"Start recipients that are stopped, if you may."`
	Type             MessageType `json:"type,omitempty" alias:"message_type" enum:"information,request,response,coordination" default:"information" doc:"What kind of message."`
	Priority         Priority    `json:"priority,omitempty" enum:"low,normal,high,urgent" default:"normal" doc:"Urgent goes ahead of waiting messages."`
	RequiresResponse bool        `json:"requires_response,omitempty" doc:"The recipients must answer."`
	IdempotencyKey   string      `json:"idempotency_key,omitempty" doc:"Your own key: a repeated call changes nothing." max:"200"`
}

// Send returns the request by which each message is sent.
func (r *ScheduleMessageRequest) Send() SendMessageRequest {
	return SendMessageRequest{To: r.To, Text: r.Text, ThreadID: r.ThreadID, Type: r.Type, Priority: r.Priority,
		RequiresResponse: r.RequiresResponse}
}

// Validate checks that one address is given, and one of at and every.
func (r *ScheduleMessageRequest) Validate() error {
	send := r.Send()
	if err := send.Validate(); err != nil {
		return err
	}
	r.To = send.To
	if (r.At == "") == (r.Every == "") {
		return Errorf(InvalidArgument, "a schedule has either one time or a rule").With("parameter", "at").
			Suggest("Give at, such as %q, or every, such as %q.", "18:00", "weekdays 9:00")
	}
	if r.Every != "" {
		if _, err := when.ParseRule(r.Every); err != nil {
			return Errorf(InvalidArgument, "every: %v", err).With("parameter", "every").
				Suggest("Give every as %s.", when.RuleForms)
		}
	}
	return nil
}

// ScheduleMessageResult is the stored schedule.
type ScheduleMessageResult struct {
	Answer
	Schedule *Schedule `json:"schedule"`
	Message  string    `json:"message"` // such as: Message planned for 18:00
}

// Said says what was done.
func (r *ScheduleMessageResult) Said() string { return r.Message }

// ListSchedulesRequest asks for schedules.
type ListSchedulesRequest struct {
	Agent string `json:"agent,omitempty" doc:"Only those from or to this agent." max:"100"`
}

// ListSchedulesResult lists schedules: what comes next first, and then those of which nothing comes.
type ListSchedulesResult struct {
	Answer
	Schedules []Schedule `json:"schedules"`
}

// ScheduleAction is what is done with a schedule.
type ScheduleAction string

// The actions on a schedule.
const (
	PauseSchedule  ScheduleAction = "pause"
	ResumeSchedule ScheduleAction = "resume"
	RemoveSchedule ScheduleAction = "remove"
)

// ChangeScheduleRequest pauses, resumes or removes a schedule.
type ChangeScheduleRequest struct {
	ScheduleID string         `json:"schedule_id" alias:"id" required:"true" doc:"Its id or name."`
	Action     ScheduleAction `json:"action" required:"true" enum:"pause,resume,remove" doc:"What to do."`
}

// ChangeScheduleResult is the schedule as it is now.
type ChangeScheduleResult struct {
	Answer
	Schedule *Schedule `json:"schedule"`
	Message  string    `json:"message"`
}

// Said says what was done.
func (r *ChangeScheduleResult) Said() string { return r.Message }

// ScheduleNotFound is the error for a name or id that no schedule of the caller has.
func ScheduleNotFound(ref string) *Error {
	return Errorf(InvalidArgument, "there is no schedule %q", ref).With("parameter", "schedule_id").
		Suggest("list_schedules shows them with their ids (parley schedule).")
}

// Package settings declares the settings of the service.
package settings

import (
	"net/url"
	"time"

	"parley/internal/setting"
	"parley/orchestrator/conversation"
)

// Settings are the settings of the service. Zero values mean the defaults. The tags
// declare each setting once, for parley.yaml, the command line, the environment and
// the documentation: see package setting.
type Settings struct {
	Deliveries `yaml:",inline"`
	Responses  `yaml:",inline"`
	Limits     `yaml:",inline"`
	Storage    `yaml:",inline"`
	Machines   `yaml:",inline"`

	// Conversation limits what agents may say before a person speaks again.
	Conversation conversation.Settings `yaml:"-"`

	// Web is how the page in a browser treats the operator.
	Web PageSettings `yaml:"-"`

	// Given says that zero values are meant as they are.
	Given bool `yaml:"-"`

	StopGrace time.Duration `yaml:"-" default:"3s"` // time for a stopped agent's processes to exit by themselves
	Watch     time.Duration `yaml:"-" default:"1s"` // interval between two checks of all panes

	// RedrawAfter is the time after which a program draws an unreadable screen again.
	RedrawAfter time.Duration `yaml:"-" default:"10s"`

	// Checks is the directory of what profiles check found. If it is empty, no program is asked for its version.
	Checks string `yaml:"-"`
}

// PageSettings are the settings of the page in a browser.
type PageSettings struct {
	Keyboard bool   `yaml:"keyboard" trust:"true" doc:"Let you type into agents' terminals in the page."`
	URL      string `yaml:"url" trust:"true" doc:"The page's address elsewhere, such as https://team.example: notices and parley web link to it."`

	Certificate    string `yaml:"certificate" trust:"true" doc:"A PEM file with a certificate and its chain: the daemon's port then speaks TLS too, and other machines must."`
	CertificateKey string `yaml:"certificate_key" trust:"true" doc:"The file with the certificate's key."`
}

// Check refuses what cannot be meant. Source tells where the settings stand.
func (s *PageSettings) Check(source string) error {
	if (s.Certificate == "") != (s.CertificateKey == "") {
		return setting.Refuse(source, "certificate_key", s.CertificateKey,
			"the key of the certificate, and both or neither")
	}
	u, err := url.Parse(s.URL)
	plain := err == nil && u.Host != "" && u.User == nil && u.Path == "" && u.RawQuery == "" && u.Fragment == "" &&
		(u.Scheme == "http" || u.Scheme == "https")
	if s.URL != "" && !plain {
		return setting.Refuse(source, "url", s.URL, "an address such as https://team.example, without a path")
	}
	return setting.Check(s, source)
}

// Deliveries are the settings of messages on their way.
type Deliveries struct {
	MaxText     int           `yaml:"max_text" default:"2000" min:"1" max:"100000" doc:"The longest message, in characters."`
	Footer      string        `yaml:"footer" default:"full" enum:"full,short" doc:"The line below a typed message: whole, or the message id alone."`
	ExpireAfter time.Duration `yaml:"expire_after" default:"24h" min:"1s" doc:"How long a message may wait for its terminal."`
	StuckAfter  time.Duration `yaml:"stuck_after" default:"10m" min:"1s" doc:"An agent needs you after being busy so long without output, or with a shell before its messages."`
	DraftAfter  time.Duration `yaml:"draft_after" default:"5m" min:"1s" doc:"A draft or scrolling that holds messages so long needs you."`
	OwesAfter   time.Duration `yaml:"owes_after" default:"10m" min:"1s" doc:"A request that an idle agent leaves unanswered so long needs you."`
	Overlaps    string        `yaml:"overlaps" default:"tell" enum:"tell,show,off" doc:"When two agents change one file: tell them and show you, only show you, or do not look."`
	Native      string        `yaml:"native_messages" trust:"true" default:"refuse" enum:"refuse,record,allow" doc:"When a program sends to another agent with its own tool: refuse it, record and send it, or do not look."`
	AutoSteer   bool          `yaml:"auto_steer" doc:"Steer an agent each time it gets stuck."`

	FallbackAfter time.Duration `yaml:"fallback_after" default:"30m" min:"1s" doc:"The fallback of an agent goes on for it at a usage limit that will last so long, or, without a known end, has."`
}

// Responses are the settings of answers that are due, and of models that give them.
type Responses struct {
	ResponseDeadline time.Duration `yaml:"response_deadline" default:"30m" min:"1s" doc:"When a required response is due if its sender does not say."`
	RemindBefore     time.Duration `yaml:"remind_before" default:"5m" min:"0s" doc:"How long before the deadline the recipient is reminded, but not before half of the time."`
	TellSenderAfter  time.Duration `yaml:"tell_sender_after" default:"1m" min:"0s" doc:"How long after the deadline the sender is told."`
	OverdueAfter     time.Duration `yaml:"overdue_after" default:"10m" min:"0s" doc:"How long after the deadline the missing response needs you."`

	// MCP clients wait a minute for a tool. A small local server works on about four
	// answers at once.
	ModelTimeout time.Duration `yaml:"model_timeout" default:"50s" min:"1s" max:"1h" doc:"How long a responder's model has to answer."`
	ModelCalls   int           `yaml:"model_calls" default:"4" min:"1" max:"1000" doc:"How many answers one responder writes at once."`
}

// Limits are the settings of what callers may do.
type Limits struct {
	// A person reads no more than 120 messages a minute, and a working model writes
	// far fewer. Programs in a loop send hundreds a second and are stopped within the
	// first. A limit of 1000000 in effect disables it.
	MessagesPerMinute   int           `yaml:"messages_per_minute" default:"120" min:"1" max:"1000000" doc:"Messages that one agent may send in a minute."`
	BroadcastsPerMinute int           `yaml:"broadcasts_per_minute" default:"30" min:"1" max:"1000000" doc:"Broadcasts that one agent may send in a minute."`
	InvitationLife      time.Duration `yaml:"invitation_life" default:"24h" min:"1m" doc:"How long a token of parley invite is good."`

	Sandbox bool `yaml:"sandbox" trust:"true" doc:"Launch every agent in a sandbox, or not at all."`

	ApproveNewcomers bool `yaml:"approve_newcomers" doc:"Agents that register with a token, or from other machines, take part only once you approve them."`

	RegistrationsPerMinute int `yaml:"registrations_per_minute" default:"30" min:"1" max:"1000000" doc:"Agents that may register in a minute from one address, or from this machine without a key."`
}

// Storage are the settings of what is kept.
type Storage struct {
	BackupEvery   time.Duration `yaml:"backup_every" trust:"true" default:"5m" min:"0s" doc:"How often a changed database is copied; 0 makes no copies."`
	BackupKeep    int           `yaml:"backup_keep" trust:"true" default:"3" min:"1" max:"1000" doc:"Of how many days the last automatic copy is kept, and the last from before an update."`
	BackupSpaceMB int           `yaml:"backup_space_mb" trust:"true" default:"2000" min:"1" max:"1000000" doc:"The space of automatic copies, in MB of 1,000,000 bytes. The newest is always kept."`

	// What explains the past is kept for a season; what was said, and sent, for ever.
	KeepEvents   time.Duration `yaml:"keep_events" trust:"true" default:"2160h" min:"0s" doc:"How long events are kept, for parley log and the streams; 0 for ever."`
	KeepLog      time.Duration `yaml:"keep_log" trust:"true" default:"2160h" min:"0s" doc:"How long the agents' own log is kept; 0 for ever."`
	KeepSteps    time.Duration `yaml:"keep_steps" trust:"true" default:"2160h" min:"0s" doc:"How long all steps of a delivery are kept; then the first, the last and the proof stay. 0 for ever."`
	KeepMessages time.Duration `yaml:"keep_messages" trust:"true" default:"0s" min:"0s" doc:"How long read messages are kept that owe no answer; 0 for ever."`
	KeepFiles    time.Duration `yaml:"keep_files" trust:"true" default:"0s" min:"0s" doc:"How long sent files are kept once read; 0 for ever."`

	MaxFileMB int `yaml:"max_file_mb" default:"100" min:"1" max:"10000" doc:"The largest file that agents may send, in MB of 1,000,000 bytes."`

	MaxFilesMB int `yaml:"max_files_mb" default:"1000" min:"1" max:"1000000" doc:"What one agent may have stored as files, in MB of 1,000,000 bytes. The operator has no limit."`
}

// Machines are the settings of a team's machines.
type Machines struct {
	HostSSH            string        `yaml:"host_ssh" trust:"true" doc:"Where ssh reaches the team's other machines: NAME=DESTINATION, with commas; their names unless set."`
	LocalActsOnly      bool          `yaml:"local_acts_only" trust:"true" doc:"Refuse acts from the team's other machines: launches, stops, answers to dialogs, looks at screens."`
	PullRequestCommand string        `yaml:"pull_request_command" trust:"true" doc:"The program for pull requests in place of gh or glab; it speaks as gh does, or as glab if its name begins so."`
	PullRequestEvery   time.Duration `yaml:"pull_request_every" default:"1m" min:"1s" doc:"How often an open pull request is looked at; up to ten times more seldom while nothing happens."`
	PortsFrom          int           `yaml:"ports_from" default:"21000" min:"1024" max:"65535" doc:"The first TCP port for agents. Systems take those of outgoing connections from 32768 or 49152 on."`
	PortsTo            int           `yaml:"ports_to" default:"24999" min:"1024" max:"65535" doc:"The last one."`
}

// SetDefaults gives each setting that is zero its default.
func (s *Settings) SetDefaults() {
	if !s.Given {
		setting.Fill(s)
	}
}

// ShortFooter reports whether the line below a typed message has only the message id.
func (s *Settings) ShortFooter() bool { return s.Footer == "short" }

const bytesPerMB = 1_000_000

// MaxFiles returns how much one agent may have stored as files, in bytes.
func (s *Settings) MaxFiles() int64 { return int64(s.MaxFilesMB) * bytesPerMB }

// BackupSpace returns how much space the automatic copies of the database may take, in bytes.
func (s *Settings) BackupSpace() int64 { return int64(s.BackupSpaceMB) * bytesPerMB }

// MaxFile returns the size of the largest file, in bytes.
func (s *Settings) MaxFile() int64 { return int64(s.MaxFileMB) * bytesPerMB }

package story

import (
	"regexp"
	"strings"
	"time"

	"parley"
	"parley/internal/must"
	"parley/op"
)

var comma = regexp.MustCompile(`, | and `)

// register gives agents mailboxes.
func (s *telling) register(words []string) {
	s.Helper()
	for _, name := range comma.Split(words[0], -1) {
		s.join(parley.RegisterAgentRequest{Username: name})
	}
}

// special registers an agent that asks to be a special one.
func (s *telling) special(words []string) {
	s.Helper()
	s.join(parley.RegisterAgentRequest{Username: words[0], Special: true})
}

func (s *telling) join(request parley.RegisterAgentRequest) {
	s.Helper()
	c := s.As("")
	s.keys[request.Username] = must.Have(op.RegisterAgent.Call(s.Context(), c, request))(s).APIKey
}

// launch starts the scripted agent. In words[1] are things that it has, such as a question.
func (s *telling) launch(words []string) {
	s.Helper()
	argv := append([]string{}, s.Demo...)
	if len(words) > 1 {
		flag, ok := has[words[1]]
		if !ok {
			s.Fatalf("%s: an agent cannot have %q", s.line, words[1])
		}
		argv = append(argv, flag...)
	}
	s.start(words[0], "demo", argv)
}

// has are the flags of the scripted agent, by what it has.
var has = map[string][]string{
	"a question":    {"--dialog-at-start"},
	"a long work":   {"--work", "1h"},
	"quick answers": {"--work", "1ms", "--on", "^", "--reply", "pong"},
}

// run starts a program in a terminal.
func (s *telling) run(words []string) {
	s.Helper()
	s.start(words[0], "generic", []string{"sh", "-c", words[1]})
}

func (s *telling) start(name, profile string, argv []string) {
	s.Helper()
	must.Have(op.LaunchAgent.Call(s.Context(), s.Operator,
		parley.LaunchAgentRequest{Name: name, Profile: profile, Command: argv, Width: 80, Height: 24}))(s)
}

// caller returns the service as an agent uses it, or the operator.
func (s *telling) caller(name string) parley.Service {
	s.Helper()
	if name == "you" {
		return s.Operator
	}
	key, ok := s.keys[name]
	if !ok {
		s.Fatalf("%s: %s is not here", s.line, name)
	}
	return s.As(key)
}

// address returns the name by which the service knows somebody.
func address(name string) string {
	if name == "you" {
		return parley.OperatorName
	}
	return name
}

// tell sends a message. Those to all are broadcasts.
func (s *telling) tell(words []string) {
	s.Helper()
	c := s.caller(words[0])
	if words[1] == "all" {
		must.Have(op.BroadcastMessage.Call(s.Context(), c, parley.BroadcastMessageRequest{Text: words[2]}))(s)
		return
	}
	to := parley.Names{address(words[1])}
	must.Have(op.SendMessage.Call(s.Context(), c, parley.SendMessageRequest{To: to, Text: words[2]}))(s)
}

// ask sends a message that must be answered.
func (s *telling) ask(words []string) {
	s.Helper()
	c, due := s.caller(words[0]), time.Now().Add(time.Hour)
	must.Have(op.SendMessage.Call(s.Context(), c, parley.SendMessageRequest{To: parley.Names{address(words[1])},
		Text: words[2],
		Type: parley.TypeRequest, RequiresResponse: true, ResponseDeadline: &due}))(s)
}

// answer answers the newest message from somebody.
func (s *telling) answer(words []string) {
	s.Helper()
	c := s.caller(words[0])
	for _, m := range s.inbox(c) {
		if m.Sender == address(words[1]) {
			must.Have(op.RespondToMessage.Call(s.Context(), c,
				parley.RespondToMessageRequest{MessageID: m.MessageID, Text: words[2]}))(s)
			return
		}
	}
	s.Fatalf("%s: there is no message to answer", s.line)
}

func (s *telling) inbox(c parley.Service) []parley.InboxMessage {
	s.Helper()
	return must.Have(op.CheckInbox.Call(s.Context(), c, parley.CheckInboxRequest{}))(s).Messages
}

func (s *telling) thread(words []string) {
	s.Helper()
	c := s.caller(words[0])
	var with parley.Names
	for _, name := range comma.Split(words[2], -1) {
		with = append(with, address(name))
	}
	must.Have(op.CreateThread.Call(s.Context(), c,
		parley.CreateThreadRequest{Title: words[1], Participants: with, InitialMessage: words[3]}))(s)
}

func (s *telling) post(words []string) {
	s.Helper()
	c := s.caller(words[0])
	for _, t := range must.Have(op.ListThreads.Call(s.Context(), c, parley.ListThreadsRequest{}))(s).Threads {
		if t.Title == words[1] {
			must.Have(op.SendMessage.Call(s.Context(), c, parley.SendMessageRequest{ThreadID: t.ID, Text: words[2]}))(s)
			return
		}
	}
	s.Fatalf("%s: there is no such thread", s.line)
}

// gets waits until a message is in somebody's inbox.
func (s *telling) gets(words []string) {
	s.Helper()
	c, seen := s.caller(words[0]), ""
	s.until(func() bool {
		s.look()
		seen = ""
		for _, m := range s.inbox(c) {
			seen += m.Content + "\n"
		}
		return strings.Contains(seen, words[1])
	}, func() string { return seen + "\n" + s.look() })
}

// look lets the screen take in what happens, if one is open.
func (s *telling) look() string {
	if s.screen == nil {
		return ""
	}
	return plain(s.screen.Look())
}

// terminalShows waits until an agent's terminal shows a text.
func (s *telling) terminalShows(words []string) {
	s.Helper()
	seen := ""
	s.until(func() bool {
		s.look()
		res, err := op.ReadTerminal.Call(s.Context(), s.Operator, parley.ReadTerminalRequest{Agent: words[0]})
		if err != nil {
			seen = err.Error()
			return false
		}
		seen = strings.Join(res.Lines, "\n")
		return strings.Contains(plain(seen), words[1])
	}, func() string { return seen + "\n" + s.look() })
}

// inState waits until an agent is in a state.
func (s *telling) inState(words []string) {
	s.Helper()
	var state parley.AgentState
	s.until(func() bool {
		s.look()
		res, err := op.GetAgentStatus.Call(s.Context(), s.Operator, parley.AgentStatusRequest{Agent: words[0]})
		must.Do(s, err)
		state = res.Agents[0].State
		return string(state) == words[1]
	}, func() string { return string(state) + "\n" + s.look() })
}

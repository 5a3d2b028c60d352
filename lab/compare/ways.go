package main

import (
	"encoding/json"
	"time"

	"parley"
)

// way is a way to send a message.
type way struct {
	name    string
	prepare func(*stage) error
	send    func(*stage, string) verdict
	restart func(*stage) error // of the tool; nil: it is not tried
}

// ways are parley, and what most other tools do. A pause of half a second is common.
var ways = []way{
	{"parley", adopt, throughParley, nil},
	{"send-keys, Enter at once", nothing, func(s *stage, text string) verdict { return throughTmux(s, text, 0) }, nil},
	{"send-keys, Enter after 0.5 s", nothing, func(s *stage, text string) verdict {
		return throughTmux(s, text, 500*time.Millisecond)
	}, nil},
}

func nothing(*stage) error { return nil }

// adopt makes the program in the terminal an agent of parley.
func adopt(s *stage) error {
	pane, err := s.tmux("list-panes", "-t", s.target, "-F", "#{pane_id}")
	if err != nil {
		return err
	}
	return s.home.Command("adopt", "coder", "--pane", pane[:len(pane)-1], "--socket", s.socket, "--profile", "demo").Run()
}

// throughParley sends with parley, and waits half a minute at most for the outcome.
func throughParley(s *stage, text string) verdict {
	out, _ := s.home.Command("--json", "send", "coder", "--wait", "--", text).Output() // a failure is in the answer
	var res parley.SendMessageResult
	return saysIf(json.Unmarshal(out, &res) == nil && len(res.DeliveryStatus.DeliveredTo) == 1)
}

// throughTmux types the text and presses Enter after a pause, which is the thing that is measured.
// tmux tells only that it has typed.
func throughTmux(s *stage, text string, pause time.Duration) verdict {
	if err := s.keys(text); err != nil {
		return not
	}
	time.Sleep(pause)
	return saysIf(s.keys("", "Enter") == nil)
}

func saysIf(ok bool) verdict {
	if ok {
		return arrived
	}
	return not
}

package tmux

import (
	"encoding/binary"
	"reflect"
	"slices"
	"testing"
)

// table finds processes by pid.
func table(list ...Process) func(int) (Process, bool) {
	return func(pid int) (Process, bool) {
		i := slices.IndexFunc(list, func(p Process) bool { return p.PID == pid })
		if i < 0 {
			return Process{}, false
		}
		return list[i], true
	}
}

func pids(list []Process) []int {
	var ids []int
	for _, p := range list {
		ids = append(ids, p.PID)
	}
	return ids
}

func TestLineageFollowsParentsAndSessions(t *testing.T) {
	read := table(
		Process{PID: 1, Session: 1},
		Process{PID: 5, Parent: 1, Session: 5},   // a tmux server
		Process{PID: 6, Parent: 5, Session: 6},   // an agent in it
		Process{PID: 7, Parent: 6, Session: 7},   // leads a session of the agent's
		Process{PID: 9, Parent: 1, Session: 7},   // an orphan in it
		Process{PID: 20, Parent: 21, Session: 0}, // a circle
		Process{PID: 21, Parent: 20, Session: 99},
	)

	for _, test := range []struct {
		pid           int
		line, leaders []int
	}{
		{6, []int{6, 5, 1}, nil},
		{9, []int{9, 1}, []int{7, 6, 5}},
		{20, []int{20, 21}, nil},
		{99, nil, nil},
	} {
		l := trace(test.pid, read)
		if !slices.Equal(pids(l.Line), test.line) || !slices.Equal(pids(l.Leaders), test.leaders) {
			t.Errorf("%d: got %v and %v, want %v and %v", test.pid, pids(l.Line), pids(l.Leaders), test.line,
				test.leaders)
		}
	}
}

func TestArgumentsAreReadAsMacOSShowsThem(t *testing.T) {
	raw := binary.LittleEndian.AppendUint32(nil, 2)
	raw = append(raw, "/bin/sh\x00\x00\x00\x00sh\x00-i\x00TERM=xterm\x00A=\x00\x00more"...)
	args, env := parseArguments(raw)
	if !reflect.DeepEqual(args, []string{"sh", "-i"}) || !reflect.DeepEqual(env, []string{"TERM=xterm", "A="}) {
		t.Errorf("got %q and %q", args, env)
	}

	for _, broken := range [][]byte{nil, {1, 0}, {9, 0, 0, 0, 'a', 0, 'b', 0}} {
		if args, env := parseArguments(broken); args != nil || env != nil {
			t.Errorf("%q: got %q and %q, want nothing", broken, args, env)
		}
	}
}

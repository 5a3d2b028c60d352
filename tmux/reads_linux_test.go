package tmux_test

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
	"parley/internal/wait"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

// A table of programs by how they wait.
func TestWhetherAProgramReadsItsTerminal(t *testing.T) {
	for _, c := range []struct {
		name string
		argv []string
		want tmux.Reads
	}{
		{"a program that reads", []string{"cat", "-"}, tmux.ReadsInput},
		{"a shell's read", []string{"bash", "-c", "read x"}, tmux.ReadsInput},
		{"a read in a pipeline", []string{"sh", "-c", "cat | cat"}, tmux.ReadsInput},
		{"perl, select", []string{"perl", "-e", `vec($r,0,1)=1; select($r,undef,undef,undef)`}, tmux.ReadsInput},
		{"python, input", []string{"python3", "-c", "input()"}, tmux.ReadsInput},
		{
			"python, epoll", []string{"python3", "-c", "import select; e=select.epoll(); e.register(0,1); e.poll()"},
			tmux.ReadsInput,
		},
		{
			"python, a thread", []string{"python3", "-c",
				"import threading,time; threading.Thread(target=input).start(); time.sleep(60)"}, tmux.ReadsInput,
		},
		{"node, data", []string{"node", "-e", "process.stdin.on('data',()=>{})"}, tmux.ReadsInput},

		{"a script that sleeps", []string{"sh", "-c", "sleep 60; cat"}, tmux.ReadsNot},
		{"a script that waits for its child", []string{"bash", "-c", "sleep 60 & wait; cat"}, tmux.ReadsNot},
		{"python that sleeps", []string{"python3", "-c", "import time; time.sleep(60)"}, tmux.ReadsNot},
		{"python that waits for a pipe", []string{"python3", "-c", "import os; r,w=os.pipe(); os.read(r,1)"},
			tmux.ReadsNot},
		{"node that waits for a timer", []string{"node", "-e", "setTimeout(()=>{},60000)"}, tmux.ReadsNot},
		{"input that is not the terminal", []string{"sh", "-c", "cat </dev/zero >/dev/null 2>&1; cat"}, tmux.ReadsNot},
		{
			"python that waits for the network", []string{"python3", "-c",
				"import socket,select; s=socket.socket(); s.bind(('127.0.0.1',0)); s.listen(); " +
					"select.select([s],[],[])"},
			tmux.ReadsUnknown,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.argv[0]); err != nil {
				t.Skip(err)
			}
			pane := started(t, c.argv...)
			var got tmux.Reads
			var err error
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			steady := 0 // looks that found what is wanted: a program that starts reads nothing, too
			_ = wait.Until(ctx, 50*time.Millisecond, func() (bool, error) {
				if got, err = tmux.ReadsTerminal(pane.PID); err == nil && got == c.want {
					steady++
				} else {
					steady = 0
				}
				return steady >= 5, nil
			})
			if err != nil || got != c.want {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestAShellInsideAnotherTerminalIsSeen(t *testing.T) {
	for _, argv := range [][]string{
		{"script", "-q", "-c", "bash", "/dev/null"},
		{"python3", "-c", "import pty; pty.spawn(['bash'])"},
		{"script", "-q", "-c", "script -q -c bash /dev/null", "/dev/null"},
	} {
		if _, err := exec.LookPath(argv[0]); err != nil {
			t.Skip(err)
		}
		pane := started(t, argv...)
		var p tmux.Processes
		var all [][]string
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		err := wait.Until(ctx, 50*time.Millisecond, func() (bool, error) {
			all = p.Inner(pane.PID, time.Now())
			return slices.ContainsFunc(all, func(argv []string) bool { return argv[0] == "bash" }), nil
		})
		cancel()
		if err != nil {
			t.Errorf("%q shows %q", argv, all)
		}
	}
}

func TestAProgramStoppedInTheBackgroundIsFound(t *testing.T) {
	pane := started(t, "sh", "-c", "timeout 60 cat; :")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err := wait.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		return slices.Equal(tmux.Suspended(pane.PID), []string{"cat"}), nil
	})
	if err != nil {
		t.Errorf("got %q", tmux.Suspended(pane.PID))
	}
}

// started runs a program in a terminal.
func started(t *testing.T, argv ...string) tmux.PaneInfo {
	s := tmuxtest.Start(t)
	return must.Have(s.NewSession(t.Context(), tmux.SessionOptions{
		Name: tmuxtest.Name("reads"), Dir: t.TempDir(), Owner: "reader", Argv: argv,
	}))(t)
}

// A table of programs by what else could make them go on, and by who reads the terminal last.
func TestWhoReadsATerminal(t *testing.T) {
	const thread = "import threading,time; threading.Thread(target=time.sleep,args=(60,),daemon=True).start(); " +
		"input('> ')"
	const child = "import subprocess; subprocess.run(['cat','-'])"
	const line = "require('readline').createInterface({input:process.stdin,output:process.stdout}).prompt();"
	for _, c := range []struct {
		name, reads string // a word of the command line of what reads
		argv        []string
		only        bool
	}{
		{"a program that reads", "cat", []string{"cat", "-"}, true},
		{"a shell's read", "bash", []string{"bash", "-c", "read x"}, true},
		{"a shell's read with editing", "bash", []string{"bash", "-c", "read -e x"}, true},
		{"a shell's read with a time", "bash", []string{"bash", "-c", "read -e -t 60 x"}, false},
		{"a shell's read beside a job", "bash", []string{"bash", "-c", "sleep 60 & read x"}, false},
		{"python, input", "python", []string{"python3", "-c", "input('> ')"}, true},
		{"python, a thread", "python", []string{"python3", "-c", thread}, false},
		{"python, its child", "cat", []string{"python3", "-c", child}, true},
		{"node, readline", "node", []string{"node", "-e", line}, true},
		{"node, a timer", "node", []string{"node", "-e", line + "setTimeout(()=>{},60000)"}, false},
		{"node, a connection", "node",
			[]string{"node", "-e", line + "require('net').createServer().listen(0,'127.0.0.1')"}, false},
		{"node, its child", "cat",
			[]string{"node", "-e", "require('child_process').spawn('cat',['-'],{stdio:'inherit'})"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.argv[0]); err != nil {
				t.Skip(err)
			}
			pane := started(t, c.argv...)
			var got tmux.Reader
			var err error
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			steady := 0
			_ = wait.Until(ctx, 50*time.Millisecond, func() (bool, error) {
				before := got
				got, err = tmux.ReaderOf(pane.PID)
				if err == nil && got.ID != "" && got.ID == before.ID && got.Only == c.only &&
					strings.Contains(got.ID, c.reads) {
					steady++
				} else {
					steady = 0
				}
				return steady >= 5, nil
			})
			if steady < 5 {
				t.Errorf("got %+v, %v, want that %s reads, and only that: %v", got, err, c.reads, c.only)
			}
		})
	}
}

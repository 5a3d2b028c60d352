package tmux_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"
	"parley/internal/wait"
	"parley/tmux"
	"parley/tmux/tmuxtest"
)

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

// A table of programs by how they wait, and by which process it is.
func TestWhoReadsATerminal(t *testing.T) {
	const line = "require('readline').createInterface({input:process.stdin,output:process.stdout}).prompt();"
	for _, c := range []struct {
		name, reads string // the name of the file that reads
		argv        []string
		want        tmux.Reads
	}{
		{"a program that reads", "cat", []string{"cat", "-"}, tmux.ReadsInput},
		{"a shell's read", "bash", []string{"bash", "-c", "read x"}, tmux.ReadsInput},
		{"a shell's read with editing", "bash", []string{"bash", "-c", "read -e x"}, tmux.ReadsInput},
		{"a shell's read beside a job", "bash", []string{"bash", "-c", "sleep 60 & read x"}, tmux.ReadsInput},
		{"a read in a pipeline", "cat", []string{"sh", "-c", "cat | cat"}, tmux.ReadsInput},
		{"perl, select", "perl", []string{"perl", "-e", `vec($r,0,1)=1; select($r,undef,undef,undef)`},
			tmux.ReadsInput},
		{"python, input", "python3", []string{"python3", "-c", "input('> ')"}, tmux.ReadsInput},
		{"python, epoll", "python3",
			[]string{"python3", "-c", "import select; e=select.epoll(); e.register(0,1); e.poll()"}, tmux.ReadsInput},
		{"python, a thread", "python3", []string{"python3", "-c",
			"import threading,time; threading.Thread(target=input).start(); time.sleep(60)"}, tmux.ReadsInput},
		{"python, its child", "cat", []string{"python3", "-c", "import subprocess; subprocess.run(['cat','-'])"},
			tmux.ReadsInput},
		{"node, data", "node", []string{"node", "-e", "process.stdin.on('data',()=>{})"}, tmux.ReadsInput},
		{"node, readline and a timer", "node", []string{"node", "-e", line + "setTimeout(()=>{},60000)"},
			tmux.ReadsInput},
		{"node, its child", "cat",
			[]string{"node", "-e", "require('child_process').spawn('cat',['-'],{stdio:'inherit'})"}, tmux.ReadsInput},
		{"a shell in a script", "bash", []string{"sh", "-c", "bash; :"}, tmux.ReadsInput},

		{"a script that sleeps", "", []string{"sh", "-c", "sleep 60; cat"}, tmux.ReadsNot},
		{"python that sleeps", "python3", []string{"python3", "-c", "import time; time.sleep(60)"}, tmux.ReadsNot},
		{"python that waits for a pipe", "python3",
			[]string{"python3", "-c", "import os; r,w=os.pipe(); os.read(r,1)"}, tmux.ReadsNot},
		{"node that waits for a timer", "node", []string{"node", "-e", "setTimeout(()=>{},60000)"}, tmux.ReadsNot},
		{"python that waits for the network", "python3", []string{"python3", "-c",
			"import socket,select; s=socket.socket(); s.bind(('127.0.0.1',0)); s.listen(); " +
				"select.select([s],[],[])"}, tmux.ReadsUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(c.argv[0]); err != nil {
				t.Skip(err)
			}
			pane := started(t, c.argv...)
			var processes tmux.Processes
			var got tmux.Reader
			var err error
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			steady := 0 // looks that found what is wanted: a program that starts reads nothing, too
			_ = wait.Until(ctx, 50*time.Millisecond, func() (bool, error) {
				got, err = processes.ReaderOf(pane.PID, time.Now())
				if err == nil && got.Waits == c.want && strings.HasPrefix(filepath.Base(got.File), c.reads) {
					steady++
				} else {
					steady = 0
				}
				return steady >= 5, nil
			})
			if steady < 5 {
				t.Errorf("got %+v, %v, want %s, which waits: %v", got, err, c.reads, c.want)
			}
		})
	}
}

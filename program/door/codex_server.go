package door

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// codexServer is an app server of the same program, on a pipe. Nobody else can use it, and what it is told stands in no
// argument. It ends by itself when it has had no work, and with parley.
type codexServer struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	ended  chan struct{}
	last   int // the number of the last call
	broken bool

	mu    sync.Mutex
	rests *time.Timer
	gone  bool
}

// codexInherits are the variables that say where a Codex keeps its files.
var codexInherits = []string{
	"HOME", "CODEX_HOME", "CODEX_SQLITE_HOME", "PATH", "USER", "LANG", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME",
}

// agentMark is the variable by which parley knows what belongs to an agent. The server, and whatever its settings make
// it start, descends from the daemon: without the mark it could be taken for the operator's.
const agentMark = "PARLEY_AGENT_ID"

// startCodexServer starts a server of the program that runs as a process, with its files and as the same agent's.
func startCodexServer(pid int) (*codexServer, error) {
	cmd, err := codexCommand(pid)
	if err != nil {
		return nil, err
	}
	return startCodex(cmd)
}

func codexCommand(pid int) (*exec.Cmd, error) {
	agent := environment(pid, agentMark)
	if agent == "" {
		return nil, errors.New("its process does not name its agent")
	}

	cmd := exec.Command("/proc/"+strconv.Itoa(pid)+"/exe", "app-server")
	cmd.Dir = "/"
	cmd.Env = []string{agentMark + "=" + agent}
	for _, name := range codexInherits {
		if value := environment(pid, name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}

	return cmd, nil
}

func startCodex(cmd *exec.Cmd) (*codexServer, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start its app server: %w", err)
	}

	s := &codexServer{cmd: cmd, in: in, out: bufio.NewReader(out), ended: make(chan struct{})}
	s.rests = time.AfterFunc(codexRests, s.retire)
	go func() {
		defer close(s.ended)
		_ = cmd.Wait()
	}()

	return s, nil
}

// rouse reports whether the server can be used, and keeps it from resting for a while.
func (s *codexServer) rouse() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone || s.broken {
		return false
	}
	s.rests.Reset(codexRests)
	return true
}

// retire has the server end after its work.
func (s *codexServer) retire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = true
	_ = s.in.Close()
}

// end ends the server and waits for it.
func (s *codexServer) end() {
	s.rests.Stop()
	s.retire()
	select {
	case <-s.ended:
	case <-time.After(time.Second):
		_ = s.cmd.Process.Kill()
		<-s.ended
	}
}

// greet begins to talk, and returns the version of the server.
func (s *codexServer) greet(ctx context.Context) (version string, err error) {
	var said struct {
		Agent string `json:"userAgent"`
	}
	err = s.call(ctx, "initialize", map[string]any{
		"clientInfo":   map[string]string{"name": "parley", "title": "parley", "version": "1"},
		"capabilities": map[string]bool{"experimentalApi": true},
	}, &said)
	if err == nil {
		err = s.write(map[string]any{"method": "initialized"})
	}
	if err != nil {
		return "", err
	}
	return versionOfAgent(said.Agent)
}

func (s *codexServer) write(v any) error {
	line, err := jsonLine(v)
	if err != nil {
		return closed("%w", err)
	}
	n, err := s.in.Write(line)
	if err != nil {
		s.broken = true
	}
	if err != nil && n == 0 {
		return closed("%w", err)
	}
	return err
}

// call makes one call and waits for its answer. It is ErrClosed if nothing was asked, or the server refuses it.
func (s *codexServer) call(ctx context.Context, method string, params, into any) error {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = s.cmd.Process.Kill() })
	defer stop()

	s.last++
	if err := s.write(map[string]any{"id": s.last, "method": method, "params": params}); err != nil {
		return err
	}

	for {
		line, err := readLine(s.out, maxAnswer)
		if err != nil {
			s.broken = true
			return errors.Join(fmt.Errorf("its app server answers nothing to %s: %w", method, err), ctx.Err())
		}
		var answer struct {
			ID     int             `json:"id"`
			Method string          `json:"method"` // of what it says or asks by itself
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		switch err := json.Unmarshal(line, &answer); {
		case err != nil || answer.Method != "" || answer.ID != s.last:
			continue
		case answer.Error != nil:
			return closed("its app server refuses %s: %.200q", method, answer.Error.Message)
		case into == nil:
			return nil
		}
		return json.Unmarshal(answer.Result, into)
	}
}

// processNamed returns the process among a program's own whose file has a name, 0 if there is none.
func processNamed(pid int, name string) int {
	for _, p := range family(pid) {
		file, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(p), "exe"))
		if err == nil && strings.TrimSuffix(filepath.Base(file), " (deleted)") == name {
			return p
		}
	}
	return 0
}

package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"
)

// lastAnswers bounds how long calls may run after the client has closed its end. The
// official clients wait two seconds for the process before they kill it.
const lastAnswers = 1500 * time.Millisecond

// dialogue is the two ends of a stdio connection. It delays the end of the input until all
// requests are answered: the library drops every call that runs when its input ends.
type dialogue struct {
	in   *bufio.Reader
	out  io.Writer
	done <-chan struct{} // closed when nobody waits for responses
	last time.Duration   // how long calls may run after the end of in
	rest []byte          // the rest of the line that is being read

	failures failures

	writing sync.Mutex // one message at a time

	mu       sync.Mutex
	open     map[string]bool // the ids of unanswered requests
	answered chan struct{}   // gets a token when open becomes empty
}

func newDialogue(ctx context.Context, in io.Reader, out io.Writer, last time.Duration) *dialogue {
	return &dialogue{
		in:       bufio.NewReader(in),
		out:      out,
		done:     ctx.Done(),
		last:     last,
		open:     map[string]bool{},
		answered: make(chan struct{}, 1),
	}
}

// envelope is the part of a JSON-RPC message that tells requests from responses.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// maxLine bounds a line, in bytes: twice what the daemon takes of a call.
const maxLine = 2 * MaxBody

// readLine returns the next line with its line break, if it has one. What is beyond maxLine is left out:
// the library answers such a line as one that is not JSON.
func (d *dialogue) readLine() (line []byte, err error) {
	for {
		part, err := d.in.ReadSlice('\n')
		line = append(line, part[:min(len(part), maxLine-len(line))]...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			if err == nil && line[len(line)-1] != '\n' {
				line = append(line, '\n')
			}
			return line, err
		}
	}
}

// Read returns whole lines. It completes a last line without a line break.
func (d *dialogue) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		line, err := d.readLine()
		if err != nil && len(bytes.TrimSpace(line)) == 0 {
			if errors.Is(err, io.EOF) {
				d.awaitResponses()
			}
			return 0, err
		}

		if err != nil {
			line = append(line, '\n')
		}

		d.noteRequest(line)
		d.rest = line
	}

	n := copy(p, d.rest)
	d.rest = d.rest[n:]

	return n, nil
}

// noteRequest notes the request in a line. A request that the client cancels gets no
// response.
func (d *dialogue) noteRequest(line []byte) {
	var e envelope
	if json.Unmarshal(line, &e) != nil && e.Method == "" {
		return
	}
	switch {
	case e.Method == "notifications/cancelled":
		d.settle(e.Params.RequestID)
	case e.Method != "" && len(e.ID) > 0 && string(e.ID) != "null":
		d.mu.Lock()
		defer d.mu.Unlock()
		d.open[string(e.ID)] = true
	}
}

// Write passes on what the library writes, one message at a time.
func (d *dialogue) Write(p []byte) (int, error) {
	d.writing.Lock()
	_, err := d.out.Write(d.failures.rewrite(p))
	d.writing.Unlock()
	if err != nil {
		return 0, err
	}
	var e envelope
	if json.Unmarshal(p, &e) == nil && e.Method == "" {
		d.settle(e.ID)
	}
	return len(p), nil
}

func (d *dialogue) settle(id json.RawMessage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, string(id))
	if len(d.open) == 0 {
		select {
		case d.answered <- struct{}{}:
		default:
		}
	}
}

// awaitResponses returns when all requests are answered, or when nobody can be waiting for
// a response.
func (d *dialogue) awaitResponses() {
	patience := time.NewTimer(d.last)
	defer patience.Stop()

	for {
		d.mu.Lock()
		waiting := len(d.open)
		d.mu.Unlock()
		if waiting == 0 {
			return
		}

		select {
		case <-d.answered:
		case <-patience.C:
			return
		case <-d.done:
			return
		}
	}
}

// MaxBody is the largest request body in bytes; the library has no limit.
const MaxBody = 1 << 20

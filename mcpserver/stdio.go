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

// lastAnswers is how long calls may go on after the client has closed its end:
// the official clients wait two seconds for the process before they kill it.
const lastAnswers = 1500 * time.Millisecond

// dialogue is the two ends of a stdio connection. It keeps the end of the input
// back until what was asked is answered, because the library drops every call
// that runs when its input ends.
type dialogue struct {
	in   *bufio.Reader
	out  io.Writer
	done <-chan struct{} // closed when nobody waits for anything any more
	last time.Duration   // how long calls may go on after the end of in
	rest []byte          // of the line that is being read

	mu       sync.Mutex
	open     map[string]bool // the ids that wait for an answer
	answered chan struct{}   // one token when open becomes empty
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

// envelope is what of a JSON-RPC message tells requests from answers.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

// Read passes whole lines on; a last one without its end gets one.
func (d *dialogue) Read(p []byte) (int, error) {
	if len(d.rest) == 0 {
		line, err := d.in.ReadBytes('\n')
		if err != nil && len(bytes.TrimSpace(line)) == 0 {
			if errors.Is(err, io.EOF) {
				d.await()
			}
			return 0, err
		}

		if err != nil {
			line = append(line, '\n')
		}

		d.asked(line)
		d.rest = line
	}

	n := copy(p, d.rest)
	d.rest = d.rest[n:]

	return n, nil
}

// asked notes the request in a line. One that the client gives up is not
// answered.
func (d *dialogue) asked(line []byte) {
	var e envelope
	if json.Unmarshal(line, &e) != nil && e.Method == "" {
		return
	}
	switch {
	case e.Method == "notifications/cancelled":
		d.settle(e.Params.RequestID)
	case e.Method != "" && len(e.ID) > 0 && string(e.ID) != "null":
		d.mu.Lock()
		d.open[string(e.ID)] = true
		d.mu.Unlock()
	}
}

// Write passes on what the library writes: one message at a time.
func (d *dialogue) Write(p []byte) (int, error) {
	n, err := d.out.Write(p)
	var e envelope
	if json.Unmarshal(p, &e) == nil && e.Method == "" {
		d.settle(e.ID)
	}
	return n, err
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

// await returns when nothing waits for an answer, or when nobody can be waiting
// for it any more.
func (d *dialogue) await() {
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

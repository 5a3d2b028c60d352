package door

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// extension is the door of a program that loads extensions: extension.mjs listens in it, hands over what comes, and
// tells by its session what has become of that.
type extension struct {
	keeps
	program Program
	launch  Launch

	giving sync.Mutex // one letter after the other, so that they keep their order
}

// maxExtensionLine bounds a request, in bytes. Of a message of 700 KB, Pi took all, and Oh My Pi stood still for
// minutes.
const maxExtensionLine = 128 << 10

type extensionRequest struct {
	Secret string `json:"secret"`
	Do     string `json:"do"` // greet, give, ask
	ID     string `json:"id,omitempty"`
	Text   string `json:"text,omitempty"`
	Mark   string `json:"mark,omitempty"`
	Steer  bool   `json:"steer,omitempty"`
}

type extensionAnswer struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	Fate     Fate   `json:"fate"`
	Error    string `json:"error"` // nothing was done
}

func openExtension(ctx context.Context, p Program) (Door, error) {
	l, err := readLaunch(p.Dir)
	if err != nil {
		return nil, err
	}

	e := &extension{program: p, launch: l}
	answer, err := e.call(ctx, extensionRequest{Do: "greet"})
	switch {
	case err != nil:
		return nil, closed("greet its extension: %w", err)
	case answer.Protocol != 1:
		return nil, closed("its extension speaks protocol %d", answer.Protocol)
	}
	if err := p.tried(answer.Version); err != nil {
		return nil, err
	}

	return e, nil
}

// call asks the extension. It is ErrClosed if nothing was asked, or nothing was done.
func (e *extension) call(ctx context.Context, r extensionRequest) (a extensionAnswer, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()

	r.Secret = e.launch.Secret
	line, err := jsonLine(r)
	switch {
	case err != nil:
		return a, closed("%w", err)
	case len(line) > maxExtensionLine:
		return a, notNow("it takes no line of %d bytes", len(line))
	}

	conn, err := dial(ctx, e.launch.Socket, e.program.PID)
	if err != nil {
		return a, err
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()

	if n, err := conn.Write(line); err != nil && n == 0 {
		return a, closed("%w", err)
	} else if err != nil {
		return a, err
	}
	text, err := readLine(bufio.NewReader(conn), maxFrame)
	if err == nil {
		err = json.Unmarshal(text, &a)
	}
	if err != nil {
		return a, fmt.Errorf("read the answer of its extension: %w", err)
	}
	if a.Error != "" {
		return a, notNow("its extension says %.100q", a.Error)
	}

	return a, nil
}

// Give implements Door.
func (e *extension) Give(ctx context.Context, l Letter) error {
	e.giving.Lock()
	defer e.giving.Unlock()
	_, err := e.call(ctx, extensionRequest{Do: "give", ID: l.ID, Text: l.Text, Steer: l.Steer})
	return err
}

// Ask implements Door.
func (e *extension) Ask(ctx context.Context, l Letter) (Answer, error) {
	a, err := e.call(ctx, extensionRequest{Do: "ask", ID: l.ID, Mark: l.Mark})
	if err != nil {
		return Answer{Fate: Unknown}, err
	}

	evidence, known := map[Fate]string{
		Read:   "its session has the message",
		Queued: "it has the message in its queue",
		Absent: "neither its session nor its extension has the message",
	}[a.Fate]
	if !known {
		return Answer{Unknown, "its session does not have the message, which it was given"}, nil
	}

	return Answer{a.Fate, evidence}, nil
}

// Close implements Door.
func (*extension) Close() error { return nil }

package tmuxtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"parley/internal/wait"
)

// fake is a running fake agent: a composer line, a log, and a dialog.
type fake struct {
	Agent
	log    *os.File
	text   []byte // in the composer
	framed bool   // a part of text came framed
	inside bool   // between ESC[200~ and ESC[201~
	rest   []byte // an incomplete escape sequence
	above  string // last content of Above
	pasted int    // length of text at the end of the last paste
	keys   chan []byte
	last   string // last submitted text, with Late
}

var (
	frameStart = []byte("\x1b[200~")
	frameEnd   = []byte("\x1b[201~")
)

func (a Agent) run(prompts []string) error {
	if a.IgnoreHUP {
		signal.Ignore(syscall.SIGHUP)
	}

	f := &fake{Agent: a}
	if a.Log != "" {
		log, err := os.OpenFile(a.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer log.Close()
		f.log = log
	}

	for _, prompt := range prompts {
		if err := f.write(Message{Text: prompt}); err != nil {
			return err
		}
		f.last = prompt
	}

	ready := func() (bool, error) { return !exists(a.Startup), nil }
	if err := wait.Until(context.Background(), 10*time.Millisecond, ready); err != nil {
		return err
	}
	if a.Mode == Canonical {
		return f.readLines()
	}

	state, err := term.MakeRaw(int(os.Stdin.Fd()))
	if err != nil {
		return err
	}
	defer term.Restore(int(os.Stdin.Fd()), state)

	if a.Mode != Raw {
		fmt.Print("\x1b[?2004h")
	}

	f.draw()
	if a.Mode == Sink {
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}

	return f.readKeys()
}

func (f *fake) readLines() error {
	fmt.Println(Prompt)
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return nil
		}
		if err := f.write(Message{Text: strings.TrimSuffix(line, "\n")}); err != nil {
			return err
		}
	}
}

func (f *fake) readKeys() error {
	f.keys = make(chan []byte)
	go func() {
		defer close(f.keys)

		buf := make([]byte, 64<<10)
		for {
			time.Sleep(f.Slow)
			n, err := os.Stdin.Read(buf)
			if err != nil {
				return
			}
			f.keys <- bytes.Clone(buf[:n])
		}
	}()

	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()

	open := exists(f.Dialog)
	for {
		select {
		case in, ok := <-f.keys:
			if !ok {
				return f.outlive()
			}
			if err := f.take(in); err != nil {
				return err
			}
			f.draw()
		case <-tick.C:
			above, _ := os.ReadFile(f.Above)
			if now := exists(f.Dialog); now != open || f.Busy || string(above) != f.above {
				open, f.above = now, string(above)
				f.draw()
			}
		}
	}
}

// outlive keeps an agent that ignores SIGHUP running without its terminal.
func (f *fake) outlive() error {
	if f.IgnoreHUP {
		end := make(chan os.Signal, 1)
		signal.Notify(end, syscall.SIGTERM)
		<-end
	}
	return nil
}

// exists reports whether a file is named and there.
func exists(file string) bool {
	if file == "" {
		return false
	}
	_, err := os.Stat(file)
	return err == nil
}

// take handles typed bytes like a program with a composer.
func (f *fake) take(in []byte) error {
	in = append(f.rest, in...)
	f.rest = nil
	for len(in) > 0 {
		switch {
		case bytes.HasPrefix(in, frameStart):
			f.inside, in = true, in[len(frameStart):]
		case bytes.HasPrefix(in, frameEnd):
			f.inside, in = false, in[len(frameEnd):]
			f.pasted = len(f.text)
		case in[0] == 0x1b && len(in) < len(frameStart) && bytes.HasPrefix(frameStart[:5], in[:min(len(in), 4)]):
			f.rest = bytes.Clone(in)
			return nil
		default:
			if err := f.key(in[0]); err != nil {
				return err
			}
			in = in[1:]
		}
	}

	return nil
}

// ctrlU clears the composer.
const ctrlU = 'u' & 0x1f

func (f *fake) key(c byte) error {
	if exists(f.Dialog) {
		if c == '\r' || c == 'y' {
			os.Remove(f.Dialog)
			return f.write(Message{Text: "yes", Dialog: true})
		}
		return nil
	}

	if c == '\r' && !f.inside && f.Deaf > 0 {
		f.Deaf--
		return nil
	}

	if (c == '\r' || c == '\t') && !f.inside {
		if f.Late > 0 {
			time.Sleep(f.Late)
			select {
			case more := <-f.keys:
				f.text = append(f.text, more...)
			default:
			}

			f.last = string(f.text)
		}
		if f.Shows {
			f.last = string(f.text)
		}

		m := Message{Text: string(f.text), Framed: f.framed, Tab: c == '\t'}
		f.text, f.framed, f.pasted = nil, false, 0

		return f.write(m)
	}

	if c == ctrlU && !f.inside {
		f.text, f.framed, f.pasted = nil, false, 0
		return nil
	}

	if c == 0x7f && !f.inside && len(f.text) > 0 { // backspace
		f.text = f.text[:f.before()]
		f.pasted = min(f.pasted, len(f.text))
		return nil
	}

	f.text = append(f.text, c)
	f.framed = f.framed || f.inside

	return nil
}

// before returns where the last sign of the text begins. A paste that is folded is one sign.
func (f *fake) before() int {
	if len(f.text) == f.pasted && folds(string(f.text)) {
		return 0
	}
	_, size := utf8.DecodeLastRune(f.text)
	return len(f.text) - size
}

// folds reports whether a paste is shown as a placeholder.
func folds(paste string) bool { return len(paste) > 800 || strings.Contains(paste, "\n") }

func (f *fake) write(m Message) error {
	if f.log == nil {
		return nil
	}
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = f.log.Write(append(line, '\n')) // one write, so that readers see whole lines
	return err
}

// draw clears the screen and shows the composer at its top.
func (f *fake) draw() {
	if f.Mode == Sink && len(f.text) > 0 {
		return
	}

	at := f.pasted
	if f.inside {
		at = len(f.text)
	}

	shown, typed := string(f.text[:at]), string(f.text[at:])
	if folds(shown) {
		shown = fmt.Sprintf("%s #1 +%d lines]", Placeholder, strings.Count(shown, "\n"))
	}

	if shown += typed; shown == "" {
		shown = f.Ghost
	}
	spinner := ""
	if f.Busy {
		spinner = fmt.Sprintf("working %d\r\n", time.Now().UnixMilli())
	}

	line := Prompt + " " + shown
	if f.last != "" {
		line = strings.ReplaceAll(f.last, "\n", "\r\n") + "\r\n" + line
	}
	if exists(f.Dialog) {
		line = DialogText
	}

	if f.above == HideComposer {
		line = "something else"
	} else if f.above != "" {
		line = f.above + "\r\n" + line
	}

	fmt.Print("\x1b[H\x1b[2J" + spinner + line)
}

package door

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// neverGiven says why a message is absent.
const neverGiven = "its transcripts do not have the message, which was not handed over since its launch"

// transcripts are the files to which a program writes what its turns begin with: a line for each message from outside,
// when a turn takes it and not when it is queued.
type transcripts struct {
	pattern string                           // of their names, with %s for the session
	tells   func(line []byte, l Letter) Fate // what a line tells of a letter: Read, Queued, or Unknown

	mu   sync.Mutex
	read map[string]looked // what was read for a letter in a file
}

// looked is how far a file was read for a letter, in bytes, and what it has told.
type looked struct {
	to   int64
	fate Fate
}

// writtenWithin is how much earlier than a letter was sent a file may seem to be written last that has it: a clock can
// be set back.
const writtenWithin = 24 * time.Hour

// fateOf returns what is written of a letter, as it was recorded: in the transcript of the session that it went into,
// or of the one that runs now. Without a record it was not handed over.
func (ts *transcripts) fateOf(l Letter, r record, now string) (Answer, error) {
	// What was given in an earlier launch, and is in no transcript, has ended with its program. What was given before
	// /clear may come after it.
	fate, err := ts.hold(r.Session, l)
	if err == nil && fate != Read && r.ID != "" && now != "" && now != r.Session {
		fate, err = ts.hold(now, l)
	}

	switch {
	case err != nil:
		return Answer{Fate: Unknown}, err
	case fate == Read:
		return Answer{Read, "a turn in its transcript begins with the message"}, nil
	case fate == Queued:
		return Answer{Queued, "its transcript has the message in its queue"}, nil
	case r.ID == "":
		return Answer{Absent, neverGiven}, nil
	}
	return Answer{Unknown, "its transcript does not have the message, which was handed over"}, nil
}

// hold returns what the transcript of a session, or any if that is not known, tells of a letter.
func (ts *transcripts) hold(session string, l Letter) (fate Fate, err error) {
	anySession := session == ""
	if anySession {
		session = "*"
	}
	files, err := filepath.Glob(fmt.Sprintf(ts.pattern, session))
	if err != nil {
		return Unknown, err
	}

	ts.mu.Lock()
	defer ts.mu.Unlock()
	fate = Unknown
	for _, file := range files {
		if info, err := os.Stat(file); anySession && err == nil && l.Sent.Sub(info.ModTime()) > writtenWithin {
			continue // there can be gigabytes
		}
		told, err := ts.find(file, 0, l)
		if told == Read || err != nil {
			return told, err
		}
		if told == Queued {
			fate = told
		}
	}

	return fate, nil
}

// find returns what a file tells of a letter, and reads what it has had added since it was last looked for, or else
// since it had so many bytes. The caller holds ts.mu.
func (ts *transcripts) find(path string, from int64, l Letter) (Fate, error) {
	file, err := os.Open(path)
	if err != nil {
		return Unknown, err
	}
	defer file.Close()

	name := path + "\x00" + l.ID
	at, known := ts.read[name]
	if !known {
		at = looked{to: from, fate: Unknown}
	}
	if _, err := file.Seek(at.to, io.SeekStart); err != nil {
		return Unknown, err
	}
	added, err := io.ReadAll(io.LimitReader(file, maxAnswer))
	if err != nil {
		return Unknown, err
	}

	whole := bytes.LastIndexByte(added, '\n') + 1 // the last line may still be written
	for line := range bytes.Lines(added[:whole]) {
		if told := ts.tells(line, l); told != Unknown && at.fate != Read {
			at.fate = told
		}
	}
	if len(added) == maxAnswer && whole == 0 {
		return Unknown, errors.New("a line of its transcript is too long")
	}

	if ts.read == nil {
		ts.read = map[string]looked{}
	}
	at.to += int64(whole)
	ts.read[name] = at

	return at.fate, nil
}

// toldByClaude returns what a line of Claude Code tells of a letter: it has queued its text, or a turn has it, which it
// names by the id that it was given.
func toldByClaude(line []byte, l Letter) Fate {
	type origin struct {
		ID string `json:"msg_id"`
	}
	var at struct {
		Type, Operation, Content string
		Origin                   origin
		Attachment               struct {
			Type   string
			Origin origin
		}
	}
	if !bytes.Contains(line, []byte(l.Mark)) || json.Unmarshal(line, &at) != nil {
		return Unknown
	}

	switch {
	case at.Type == "user" && at.Origin.ID == l.ID,
		at.Type == "attachment" && at.Attachment.Type == "queued_command" && at.Attachment.Origin.ID == l.ID:
		return Read
	case at.Type == "queue-operation" && at.Operation == "enqueue" && at.Content == l.Text:
		return Queued
	}
	return Unknown
}

// toldByQwen returns Read if a line of Qwen Code begins a turn with a letter that came through the socket.
func toldByQwen(line []byte, letter Letter) Fate {
	var l struct {
		Type, Subtype string
		Message       struct {
			Parts []struct{ Text string }
		}
	}
	if !bytes.Contains(line, []byte(letter.Mark)) || json.Unmarshal(line, &l) != nil ||
		l.Type != "user" || l.Subtype != "notification" {
		return Unknown
	}

	for _, part := range l.Message.Parts {
		if strings.HasPrefix(part.Text, "<cross_session_message ") && signed(part.Text, letter.Mark) {
			return Read
		}
	}

	return Unknown
}

// signed reports whether a text has a letter in it: a line that ends with a footer with its mark. Others can name the
// mark in their words, and what looks like a footer in those is quoted.
func signed(text, mark string) bool {
	for line := range strings.Lines(text) {
		line, ends := strings.CutSuffix(strings.TrimSpace(line), ")")
		at := strings.LastIndex(line, "(")
		if ends && at >= 0 && strings.Contains(line[at:], mark) &&
			!strings.HasSuffix(strings.TrimSpace(line[:at]), ">") {
			return true
		}
	}
	return false
}

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
)

// neverGiven says why a message is absent.
const neverGiven = "its transcripts do not have the message, which was not handed over since its launch"

// transcripts are the files to which a program writes what its turns begin with: a line for each message from outside,
// when a turn takes it and not when it is queued.
type transcripts struct {
	pattern string                              // of their names, with %s for the session
	begins  func(line []byte, mark string) bool // whether a turn begins in a line with the message of a mark

	mu   sync.Mutex
	read map[string]int64 // what was read for a mark in a file, in bytes
}

// hold reports whether the transcript of a session, or any if that is not known, has a message with a mark.
func (ts *transcripts) hold(session, mark string) (bool, error) {
	if session == "" {
		session = "*"
	}
	files, err := filepath.Glob(fmt.Sprintf(ts.pattern, session))
	if err != nil {
		return false, err
	}

	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, file := range files {
		found, err := ts.find(file, mark)
		if found || err != nil {
			return found, err
		}
	}

	return false, nil
}

// find looks for a mark in what a file has had added since it was last looked for.
func (ts *transcripts) find(path, mark string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()

	key := path + "\x00" + mark
	if _, err := file.Seek(ts.read[key], io.SeekStart); err != nil {
		return false, err
	}
	added, err := io.ReadAll(io.LimitReader(file, maxAnswer))
	if err != nil {
		return false, err
	}

	whole := bytes.LastIndexByte(added, '\n') + 1 // the last line may still be written
	for line := range bytes.Lines(added[:whole]) {
		if bytes.Contains(line, []byte(mark)) && ts.begins(line, mark) {
			return true, nil
		}
	}
	if len(added) == maxAnswer && whole == 0 {
		return false, errors.New("a line of its transcript is too long")
	}

	if ts.read == nil {
		ts.read = map[string]int64{}
	}
	ts.read[key] += int64(whole)

	return false, nil
}

// beginsInQwen reports whether a line of Qwen Code's begins a turn with a message with a mark that came through the
// socket.
func beginsInQwen(line []byte, mark string) bool {
	var l struct {
		Type, Subtype string
		Message       struct {
			Parts []struct{ Text string }
		}
	}
	if json.Unmarshal(line, &l) != nil || l.Type != "user" || l.Subtype != "notification" {
		return false
	}

	for _, part := range l.Message.Parts {
		if strings.HasPrefix(part.Text, "<cross_session_message ") && signed(part.Text, mark) {
			return true
		}
	}

	return false
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

package transcript

import (
	"bytes"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"time"
)

// Edit is a file that a program has written, by its own record.
type Edit struct {
	Path string // absolute
	At   time.Time
}

// editors read the edits off a line that has a mark.
var editors = map[string]struct {
	mark string
	read func(line []byte) []Edit
}{
	"claude":  {`"toolUseResult"`, claudeEdits},
	"codex":   {`"FileChange"`, codexEdits},
	"copilot": {`"tool.execution_complete"`, copilotEdits},
	"gemini":  {`"toolCalls"`, geminiEdits},
	"qwen":    {`"toolCallResult"`, qwenEdits},
}

// Edits returns the files that one line of a transcript says were written. What it does not know, it
// leaves out: nobody may be told of an edit that was not made.
func Edits(form string, line []byte) (known []Edit) {
	e := editors[form]
	if e.read == nil || !bytes.Contains(line, []byte(e.mark)) {
		return nil
	}
	for _, edit := range e.read(line) {
		if filepath.IsAbs(edit.Path) && !edit.At.IsZero() {
			known = append(known, Edit{filepath.Clean(edit.Path), edit.At})
		}
	}
	return known
}

// claudeEdits reads the results of the tools of Claude Code. Those that write have a patch.
func claudeEdits(line []byte) []Edit {
	var l struct {
		Timestamp time.Time `json:"timestamp"`
		Result    struct {
			Path  string            `json:"filePath"`
			Patch []json.RawMessage `json:"structuredPatch"` // empty, and not nil, for a new file
		} `json:"toolUseResult"`
	}
	if decode(line, &l) != nil || l.Result.Patch == nil {
		return nil
	}
	return []Edit{{l.Result.Path, l.Timestamp}}
}

// shownDiff is how tools of Gemini CLI and Qwen Code show what they wrote.
type shownDiff struct {
	Path string `json:"filePath"`
	Diff string `json:"fileDiff"`
}

// editShown returns the edit of a tool that succeeded. Tools that do not write show something else.
func editShown(status string, display json.RawMessage, at time.Time) []Edit {
	var d shownDiff
	if status != "success" || json.Unmarshal(display, &d) != nil || d.Diff == "" {
		return nil
	}
	return []Edit{{d.Path, at}}
}

func geminiEdits(line []byte) (all []Edit) {
	var l struct {
		Calls []struct {
			Status    string          `json:"status"`
			Timestamp time.Time       `json:"timestamp"`
			Display   json.RawMessage `json:"resultDisplay"`
		} `json:"toolCalls"`
	}
	if decode(line, &l) != nil {
		return nil
	}
	for _, c := range l.Calls {
		all = append(all, editShown(c.Status, c.Display, c.Timestamp)...)
	}
	return all
}

func qwenEdits(line []byte) []Edit {
	var l struct {
		Timestamp time.Time `json:"timestamp"`
		Result    struct {
			Status  string          `json:"status"`
			Display json.RawMessage `json:"resultDisplay"`
		} `json:"toolCallResult"`
	}
	if decode(line, &l) != nil {
		return nil
	}
	return editShown(l.Result.Status, l.Result.Display, l.Timestamp)
}

// codexEdits reads the patches that Codex has applied.
func codexEdits(line []byte) (all []Edit) {
	var l struct {
		Timestamp time.Time `json:"timestamp"`
		Payload   struct {
			Type string `json:"type"`
			Item struct {
				Type    string                     `json:"type"`
				Status  string                     `json:"status"`
				Changes map[string]json.RawMessage `json:"changes"`
			} `json:"item"`
		} `json:"payload"`
	}
	item := &l.Payload.Item
	if decode(line, &l) != nil || l.Payload.Type != "item_completed" || item.Type != "FileChange" ||
		item.Status != "completed" {
		return nil
	}

	for _, path := range slices.Sorted(maps.Keys(item.Changes)) {
		all = append(all, Edit{path, l.Timestamp})
	}
	return all
}

func copilotEdits(line []byte) (all []Edit) {
	var l struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Data      struct {
			Success bool `json:"success"`
			Edits   []struct {
				Path string `json:"path"`
			} `json:"fileEdits"`
		} `json:"data"`
	}
	if decode(line, &l) != nil || l.Type != "tool.execution_complete" || !l.Data.Success {
		return nil
	}
	for _, e := range l.Data.Edits {
		all = append(all, Edit{e.Path, l.Timestamp})
	}
	return all
}

package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/internal/sh"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
)

// formLabel are the columns of the names of fields.
const formLabel = 12

func (f *launchForm) view(w, h int) []string {
	note := "enter launches"
	if f.busy {
		note = "launching…"
	}

	lines := []string{f.room.Theme.Rule("Launch an agent", note, w, true)}
	for at := range formFields {
		lines = append(lines, f.line(at, w))
		if f.err != nil && f.errAt == at {
			lines = append(lines, room.ErrorLines(f.room.Theme, f.err, w)...)
		}
	}

	lines = append(lines, "")
	for _, line := range kit.Wrap(f.doc(), w-2) {
		lines = append(lines, "  "+f.room.Theme.Dim.Render(line))
	}
	lines = append(lines, "")
	if f.err != nil && f.errAt == launchFields {
		lines = append(lines, room.ErrorLines(f.room.Theme, f.err, w)...)
	}

	lines = append(lines, f.preview(w)...)
	if len(lines) > h {
		lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	}

	return kit.Clip(lines, h)
}

// line draws a field: its name, what is written, and what may be chosen.
func (f *launchForm) line(at, w int) string {
	x := &f.fields[at]
	name := formFields[at].label
	if at != f.at {
		return "  " + f.room.Theme.Dim.Render(kit.Pad(name, formLabel)) + kit.Fit(string(x.text), w-formLabel-2)
	}

	left := f.room.Theme.Accent.Render("▸ "+kit.Pad(name, formLabel)) + kit.Tail(string(x.text), w-formLabel-3)
	if len(x.choices) == 0 {
		return left
	}
	more := "   ← → " + strings.Join(x.choices, " · ")

	return left + " " + f.room.Theme.Dim.Render(kit.Fit(kit.SafeLine(more), w-kit.Width(left)-1))
}

// doc says what the field under the marker is for, in the words of the operation.
func (f *launchForm) doc() string {
	if f.at == programField {
		return "The program: one of those installed, or a command with its arguments."
	}
	op := op.Find("launch_agent")
	for _, field := range op.Fields {
		if field.Name == formFields[f.at].parameter {
			return field.Doc
		}
	}
	return ""
}

// preview shows what enter does.
func (f *launchForm) preview(w int) []string {
	r, _, err := f.request()
	if err != nil {
		words := "Not ready: " + kit.SafeLine(parley.AsError(err).Message) + "."
		return []string{f.room.Theme.Dim.Render(kit.Fit("  "+words, w))}
	}

	lines := []string{f.room.Theme.Rule("What enter does", "", w, false)}
	for _, words := range []string{f.runs(r), "parley " + commandLine(r)} {
		lines = append(lines, kit.Indent(kit.Wrap(kit.SafeLine(words), w-2), 2)...)
	}

	return lines
}

// runs says in words which program runs where.
func (f *launchForm) runs(r parley.LaunchAgentRequest) string {
	command := sh.Line(r.Command)
	if p := f.program(r.Profile); p != nil && command == "" {
		command = sh.Line(p.Command)
	}
	if command == "" {
		command = "the program of profile " + r.Profile
	}

	where := "the workspace"
	if r.Session != "" {
		where = "the directory of conversation " + r.Session
	}
	if r.Dir != "" {
		where = r.Dir
	}
	switch r.Worktree {
	case "":
	case parley.WorktreeAuto:
		where = "a git worktree of its own, on branch parley/" + r.Name
	default:
		where = "a git worktree of its own, on branch " + r.Worktree
	}

	words := "Runs " + command + " in " + where + ", as " + r.Name
	if r.Prompt != "" {
		words += ", and sends it the prompt once it is ready"
	}

	return words + "."
}

func commandLine(r parley.LaunchAgentRequest) string {
	words := []string{"launch", r.Name}
	add := func(flag, value string) {
		if value != "" {
			words = append(words, "--"+flag, value)
		}
	}

	add("profile", r.Profile)
	add("model", r.Model)
	add("dir", r.Dir)
	add("role", r.Role)
	for _, g := range r.Groups {
		add("group", g)
	}
	switch r.Worktree {
	case "":
	case parley.WorktreeAuto:
		words = append(words, "--worktree")
	default:
		words = append(words, "--worktree="+r.Worktree)
	}
	add("session", r.Session)
	add("prompt", r.Prompt)

	if len(r.Command) > 0 {
		words = append(append(words, "--"), r.Command...)
	}

	return sh.Line(words)
}

// cursor returns where the terminal's own cursor is, from the form's first line.
func (f *launchForm) cursor(w int) *tea.Cursor {
	y := 1 + f.at
	if f.err != nil && f.errAt < f.at {
		y += len(room.ErrorLines(f.room.Theme, f.err, w))
	}
	x := 2 + formLabel + kit.Width(kit.Tail(string(f.fields[f.at].text), w-formLabel-3))
	return tea.NewCursor(x, y)
}

package tui

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/plain"
	"parley/tui/agents"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
	"parley/tui/verb"
)

// Program is a profile of a program that the launch form offers.
type Program struct {
	Name      string   // the profile's
	Command   []string // that it runs
	Installed bool
}

// launchForm is the page on which an agent is described that is to be launched.
type launchForm struct {
	room         *room.Shared
	room.Awaited // the programs
	agents       *agents.Screen
	known        []Program
	open         bool
	busy         bool
	at           int // the field that the keys go to
	fields       [launchFields]formField
	err          error
	errAt        int // the field that it is about; launchFields for none of them
}

type formField struct {
	text    kit.Line
	preset  bool     // the form wrote it: what a person writes replaces it
	choices []string // that its keys go through
}

// The fields in their order.
const (
	nameField = iota
	programField
	profileField
	modelField
	dirField
	roleField
	groupField
	worktreeField
	promptField
	sessionField
	launchFields
)

// formFields are the names of the fields on the form, and those of the parameters that they set.
var formFields = [launchFields]struct{ label, parameter string }{
	nameField:     {"name", "name"},
	programField:  {"program", "command"},
	profileField:  {"profile", "profile"},
	modelField:    {"model", "model"},
	dirField:      {"directory", "dir"},
	roleField:     {"role", "role"},
	groupField:    {"groups", "groups"},
	worktreeField: {"worktree", "worktree"},
	promptField:   {"prompt", "prompt"},
	sessionField:  {"continues", "session"},
}

// ownBranch asks for a worktree on a branch that is named after the agent.
const ownBranch = "yes"

// programsMsg is the profiles that may be launched.
type programsMsg []Program

type launchedMsg struct {
	name   string
	result *parley.LaunchAgentResult
	err    error
}

func (f *launchForm) keys() []kit.Binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { f.at = (f.at + n + launchFields) % launchFields; return nil }
	}
	pick := func(n int) func() tea.Cmd {
		return func() tea.Cmd { f.pick(n); return nil }
	}
	return []kit.Binding{
		verb.Accept.To("launch it", f.launch).Hinted("launch"),
		verb.Complete.To("next field", by(1), verb.LineDown).Hinted("next"),
		verb.LineBefore.To("the field before", by(-1), verb.LineUp),
		verb.ChoiceAfter.To("the next choice", pick(1)).Hinted("choose").Unless(f.noChoices),
		verb.ChoiceBefore.To("the choice before", pick(-1)),
		verb.Close.To("close; what is written is kept", f.leave).Hinted("close"),
	}
}

// start opens the form with what was written before.
func (f *launchForm) start() tea.Cmd {
	f.open, f.at, f.err = true, nameField, nil
	if s := f.room.Link.Status; s != nil {
		f.offer(dirField, s.Workspace)
	}
	for i := range f.room.Team.List {
		f.offer(dirField, f.room.Team.List[i].Dir)
		f.offer(roleField, f.room.Team.List[i].Role)
	}
	for _, g := range f.room.Team.Groups() {
		f.offer(groupField, g)
	}
	f.offer(worktreeField, ownBranch)
	f.preset()

	return f.room.Do.Programs
}

// startWith opens the form for a conversation from before, in whose directory and with whose program the agent runs.
func (f *launchForm) startWith(s parley.KeptSession) tea.Cmd {
	cmd := f.start()
	for _, at := range []int{profileField, dirField, worktreeField} {
		f.fields[at].text = ""
	}
	f.fields[sessionField].text = kit.Line(s.Short)
	f.fields[programField].text, f.fields[programField].preset = kit.Line(s.Program), false
	f.fields[nameField] = formField{}
	f.preset()
	return cmd
}

// offerPrograms takes the profiles.
func (f *launchForm) offerPrograms(known []Program) {
	f.known, f.Read = known, true
	for _, p := range known {
		if p.Installed {
			f.offer(programField, p.Name)
			f.room.Team.Installed = f.fields[programField].choices
		}
		f.offer(profileField, p.Name)
	}
	f.preset()
}

// preset chooses the first installed program after which no agent is named, else the first, and a name after it,
// unless something
// is written there.
func (f *launchForm) preset() {
	p, name := &f.fields[programField], &f.fields[nameField]
	if (p.text == "" || p.preset) && len(p.choices) > 0 {
		idle := slices.IndexFunc(p.choices, func(program string) bool { return f.room.Team.Named(program) == nil })
		p.text, p.preset = kit.Line(p.choices[max(0, idle)]), true
	}
	known := slices.Contains(p.choices, string(p.text))
	if name.text != "" && !name.preset || !known || parley.CheckName(string(p.text)) != nil {
		return
	}
	name.text, name.preset = p.text, true
	for n := 2; f.room.Team.Named(string(name.text)) != nil; n++ {
		name.text = kit.Line(fmt.Sprintf("%s-%d", p.text, n))
	}
}

// offer adds a choice to a field.
func (f *launchForm) offer(at int, choice string) {
	if x := &f.fields[at]; choice != "" && choice == kit.SafeLine(choice) && !slices.Contains(x.choices, choice) {
		x.choices = append(x.choices, choice)
	}
}

func (f *launchForm) noChoices() bool { return len(f.fields[f.at].choices) == 0 }

// pick goes to the next choice of a field, or the one before. Before the first one, the field is
// empty.
func (f *launchForm) pick(n int) {
	x := &f.fields[f.at]
	if len(x.choices) == 0 {
		if !f.Read && (f.at == programField || f.at == profileField) {
			f.room.Tell(f.Missing())
			return
		}
		f.room.Tell("Nothing to choose from here: write it.")
		return
	}
	all := append([]string{""}, x.choices...)
	at := max(0, slices.Index(all, string(x.text)))
	x.text, x.preset = kit.Line(all[(at+n+len(all))%len(all)]), false
	if f.at == programField {
		f.preset()
	}
}

// press takes a key that is text.
func (f *launchForm) press(key tea.KeyPressMsg) {
	if !f.busy {
		f.fields[f.at].replacePreset(key.Text)
		f.fields[f.at].text.Press(key)
	}
}

func (f *launchForm) insert(text string) {
	if !f.busy {
		f.fields[f.at].replacePreset(text)
		f.fields[f.at].text.Insert(text)
	}
}

// replacePreset makes way for what a person writes. A key that deletes edits the preset instead.
func (x *formField) replacePreset(text string) {
	if x.preset && text != "" {
		x.text = ""
	}
	x.preset = false
}

func (f *launchForm) leave() tea.Cmd {
	f.open = false
	f.room.Tell("Closed. " + f.room.Key("L") + " opens it with what is written.")
	return nil
}

func (f *launchForm) text(at int) string { return strings.TrimSpace(string(f.fields[at].text)) }

// request returns what is asked for, or what is wrong with it and in which field.
func (f *launchForm) request() (r parley.LaunchAgentRequest, at int, err error) {
	r = parley.LaunchAgentRequest{
		Name: f.text(nameField), Profile: f.text(profileField), Model: f.text(modelField), Dir: f.text(dirField),
		AgentSpec: parley.AgentSpec{Role: f.text(roleField), Groups: team.SplitNames(f.text(groupField))},
		Worktree:  f.text(worktreeField),
		Session:   f.text(sessionField),
		Prompt:    f.text(promptField),
	}

	if r.Worktree == ownBranch {
		r.Worktree = parley.WorktreeAuto
	}
	if r.Name == "" {
		return r, nameField, parley.Errorf(parley.InvalidArgument, "it has no name yet").
			Suggest("A letter, then letters, digits, - or _.")
	}
	if err := parley.CheckName(r.Name); err != nil {
		return r, nameField, err
	}
	if f.room.Team.Named(r.Name) != nil {
		return r, nameField, parley.Errorf(parley.AgentExists, "there is an agent %s already", r.Name).
			Suggest("Give another name, or restart that one with R.")
	}

	if r.Command, err = splitWords(f.text(programField)); err != nil {
		return r, programField, err
	}
	switch p := f.program(f.text(programField)); {
	case p != nil && r.Profile == "":
		r.Profile, r.Command = p.Name, nil
	case p != nil:
		r.Command = p.Command
	case len(r.Command) == 0 && r.Profile == "":
		return r, programField, parley.Errorf(parley.InvalidArgument, "which program it runs is not said").
			Suggest("Choose one with the arrow keys, or write a command.")
	}

	if r.Dir != "" && !filepath.IsAbs(r.Dir) {
		if s := f.room.Link.Status; s == nil || strings.HasPrefix(r.Dir, "~") {
			return r, dirField, parley.Errorf(parley.InvalidArgument, "%s is not an absolute path",
				plain.CleanLine(r.Dir)).
				Suggest("Begin with /, or with a folder of the workspace.")
		}
		r.Dir = filepath.Join(f.room.Link.Status.Workspace, r.Dir)
	}

	err = r.Validate()

	return r, fieldOfError(err), err
}

// program returns the program that a profile's name stands for, or nil.
func (f *launchForm) program(name string) *Program {
	for i := range f.known {
		if f.known[i].Name == name {
			return &f.known[i]
		}
	}
	return nil
}

// fieldOfError returns the field that an error is about, launchFields if it names none.
func fieldOfError(err error) int {
	if err == nil {
		return launchFields
	}

	e := parley.AsError(err)
	if e.Code == parley.AgentExists {
		return nameField
	}
	parameter, _ := e.Details["parameter"].(string)
	for at, x := range formFields {
		if _, ok := e.Details[x.parameter]; ok || x.parameter == parameter {
			return at
		}
	}

	return launchFields
}

// launch launches the agent, or says at the field what is wrong.
func (f *launchForm) launch() tea.Cmd {
	if f.busy {
		return nil
	}

	r, at, err := f.request()
	if err != nil {
		f.refuse(at, err)
		return nil
	}

	f.busy, f.err = true, nil

	return f.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.LaunchAgent.Call(ctx, s, r)
		return launchedMsg{name: r.Name, result: res, err: err}
	})
}

func (f *launchForm) refuse(at int, err error) {
	f.err, f.errAt = err, at
	if at < launchFields {
		f.at = at
	}
}

// launched takes the answer. After an error the form is open as before.
func (f *launchForm) launched(msg launchedMsg) tea.Cmd {
	f.busy = false
	if msg.err != nil {
		f.room.Link.Gone(msg.err)
		f.refuse(fieldOfError(msg.err), msg.err)
		if !f.open {
			f.room.Fail(msg.err)
		}
		return nil
	}

	waited := f.open
	f.open = false
	for _, at := range []int{nameField, sessionField, promptField} {
		f.fields[at].text = ""
	}
	f.room.Tell(msg.name + " launched. " + f.room.Key("a") + " attaches to it, " + f.room.Key("c") + " writes to it, " +
		f.room.Key("L") + " launches another.")

	if !waited { // the person went on to something else: their next keys are for that
		return f.room.Link.LookSoon()
	}
	f.agents.Want = msg.result.AgentID

	return tea.Batch(f.room.GoTo(room.AtAgents), f.room.Link.LookSoon())
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/plain"
)

// answering is one run of parley answer.
type answering struct {
	c       *cli
	request parley.AnswerDialogRequest
	yes     bool
	lines   *bufio.Reader // what a person types
}

type answerCommand struct{}

func (answerCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "answer NAME [CHOICE]",
		Short: "Show the question in an agent's terminal, and answer it",
		Long: `Shows the question that is open in an agent's terminal, with its options, and sends your choice.
Nothing is sent unless it is still the question that you saw: that is checked in the step that
presses the key. What followed is shown. parley never answers a question for you.

CHOICE is the number of an option, or its label. Where the question takes words, --text gives them.
Where it takes several answers, a choice ticks one, or takes its tick away; another option or a key
goes on. --keys presses keys, each only while the screen is still the same.
On a terminal you are asked before anything is sent. In a script, say which question you mean with
--dialog ID, as shown without CHOICE, or answer whatever is open with --yes.`,
		Example: `  parley answer coder                       # shows it, and asks for your choice
  parley answer coder 2                     # shows it, and asks whether to choose 2
  parley answer coder 3 --text "use tabs"
  parley answer coder no --dialog 5f0c21aa  # sends it at once, to that question
  parley answer coder --keys Tab            # goes on, where no option does
  parley answer coder --forget              # takes back that its program takes messages
  parley answer coder 1 --all               # and to others with the same question, one by one`,
	}

	read := addFlags(cmd, "answer_dialog", []string{"text", "keys", "dialog_id=dialog", "forget"})
	yes := cmd.Flags().BoolP("yes", "y", false, "answer whatever question is open, without asking")
	all := cmd.Flags().Bool("all", false, "then show each other agent with the same question, and ask for each")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := read()
		a := &answering{c: c, yes: *yes, lines: bufio.NewReader(c.program.in), request: parley.AnswerDialogRequest{
			Agent: args[0], Text: values.Get("text"), Dialog: values.Get("dialog_id"), Keys: values["keys"],
			Forget: values.Get("forget") == "true",
		}}
		if len(args) > 1 {
			a.request.Choice = args[1]
		}
		if *all {
			return a.each(cmd.Context())
		}
		return a.one(cmd.Context())
	}

	cmd.ValidArgsFunction = completer{c}.completeAnswer

	return cmd
}

// one shows and answers the question of one agent.
func (a *answering) one(ctx context.Context) error {
	if a.request.Dialog != "" && a.request.Answers() || a.request.Forget {
		return a.send(ctx)
	}

	seen, err := a.look(ctx, a.request.Agent)
	if err != nil {
		return err
	}
	if !a.request.Answers() && (!a.c.program.canAsk() || !answerable(seen.Dialog)) {
		return a.show(seen)
	}
	if len(a.request.Keys) > 0 {
		return a.press(ctx, seen)
	}
	if seen.Dialog == nil {
		return noDialog(seen.Name)
	}
	if err := knownChoice(seen, a.request.Choice); err != nil {
		return err
	}

	if !a.yes {
		agreed, err := a.agrees(seen)
		if err == nil && !agreed {
			fmt.Fprintln(a.c.out.err, "Nothing was sent; the question is still open.")
		}
		if err != nil || !agreed {
			return err
		}
	}
	a.request.Dialog = seen.Dialog.ID

	return a.send(ctx)
}

// press sends keys to the screen that was seen.
func (a *answering) press(ctx context.Context, seen *parley.AnswerDialogResult) error {
	if seen.ScreenID == "" {
		return noDialog(seen.Name)
	}
	if !a.yes {
		if !a.c.program.canAsk() {
			return wrongUse("which screen is meant is not said", fmt.Sprintf(
				"Add --dialog %s for the one that it shows now, or --yes for whatever it shows.", seen.ScreenID))
		}
		for _, line := range append([]string{a.c.out.paint(bold, seen.Name)}, a.screen(seen)...) {
			fmt.Fprintln(a.c.out.err, a.c.at.shown(line))
		}
		line, err := a.ask("Press %s? [y/N] ", strings.Join(a.request.Keys, ", "))
		if agreed := strings.EqualFold(line, "y") || strings.EqualFold(line, "yes"); err != nil || !agreed {
			fmt.Fprintln(a.c.out.err, "Nothing was sent.")
			return err
		}
	}
	a.request.Dialog = seen.ScreenID

	return a.send(ctx)
}

// screen returns the end of a screen, as lines to print.
func (a *answering) screen(seen *parley.AnswerDialogResult) (lines []string) {
	for _, line := range seen.Screen {
		lines = append(lines, a.c.out.quoted(line))
	}
	return lines
}

// each answers one agent's question, and then those of the others that are asked the same.
func (a *answering) each(ctx context.Context) error {
	switch {
	case a.request.Choice == "":
		return wrongUse("--all needs the choice", "Give it: parley answer "+a.request.Agent+" NUMBER --all.")
	case a.yes || a.request.Dialog != "" || !a.c.program.canAsk():
		return wrongUse("--all asks before each answer", "Run it on a terminal, without --yes and --dialog.")
	}

	first, err := a.look(ctx, a.request.Agent)
	if err != nil {
		return err
	}
	if first.Dialog == nil {
		return noDialog(first.Name)
	}
	others, err := a.alike(ctx, first)
	if err != nil {
		return err
	}

	return a.c.out.forEach(append([]string{first.Name}, others...), func(name string) error {
		return a.next(ctx, first, name)
	})
}

// next answers the question of one of several agents, if it is still the first one's.
func (a *answering) next(ctx context.Context, first *parley.AnswerDialogResult, name string) error {
	seen, err := a.look(ctx, name)
	if err != nil {
		return err
	}
	if !asksTheSame(first.Dialog, seen.Dialog) {
		return parley.Errorf(parley.DialogChanged, "%s no longer asks the same; nothing was sent there", name).
			Suggest("See what it asks now: parley answer %s", name)
	}

	agreed, err := a.agrees(seen)
	if err != nil || !agreed {
		return err
	}
	a.request.Agent, a.request.Dialog = name, seen.Dialog.ID

	return a.send(ctx)
}

// alike returns the other agents that are asked the same, with the same options.
func (a *answering) alike(ctx context.Context, first *parley.AnswerDialogResult) ([]string, error) {
	needs, err := call[parley.GetNeedsResult](ctx, a.c, "get_needs", nil)
	if err != nil {
		return nil, err
	}

	var names []string
	for _, n := range needs.Needs {
		if n.AgentID != first.AgentID && asksTheSame(first.Dialog, n.Dialog) {
			names = append(names, n.Agent)
		}
	}

	return names, nil
}

// asksTheSame reports whether two open dialogs have the same question and options. What is asked about may
// differ: it is shown before each answer.
func asksTheSame(first, other *parley.Dialog) bool {
	return other != nil && other.Question == first.Question && other.Secret == first.Secret &&
		other.TakesText == first.TakesText && slices.EqualFunc(other.Options, first.Options, sameOption)
}

func sameOption(a, b parley.DialogOption) bool { return a.Choice == b.Choice && a.Label == b.Label }

func (a *answering) look(ctx context.Context, agent string) (*parley.AnswerDialogResult, error) {
	return call[parley.AnswerDialogResult](ctx, a.c, "answer_dialog", parley.AnswerDialogRequest{Agent: agent})
}

// show prints a question, and the command that answers it.
func (a *answering) show(seen *parley.AnswerDialogResult) error {
	if a.c.out.json {
		return a.c.out.printJSON(seen)
	}
	if seen.Dialog == nil && seen.ScreenID == "" {
		return a.c.out.printLine(seen.Message)
	}

	lines := append([]string{seen.Message}, a.screen(seen)...)
	if seen.Dialog != nil {
		lines = a.dialogLines(seen.Dialog)
	}
	var next []string
	switch {
	case !answerable(seen.Dialog):
	case len(seen.Dialog.Options) > 0:
		next = append(next, fmt.Sprintf("parley answer %s CHOICE --dialog %s", seen.Name, seen.Dialog.ID))
	default:
		next = append(next, fmt.Sprintf("parley answer %s --text TEXT --dialog %s", seen.Name, seen.Dialog.ID))
	}
	if seen.ScreenID != "" {
		next = append(next, fmt.Sprintf("parley answer %s --keys KEY,KEY --dialog %s", seen.Name, seen.ScreenID))
	}
	if next == nil {
		next = []string{"parley attach " + seen.Name}
	}
	for _, command := range next {
		lines = append(lines, a.c.out.paint(faint, "  → ")+command)
	}

	return a.c.out.printLine(strings.Join(lines, "\n"))
}

// answerable reports whether parley can send an answer to a dialog.
func answerable(d *parley.Dialog) bool {
	return d != nil && !d.Secret && (d.TakesText || len(d.Options) > 0)
}

// agrees shows a question, and asks the person for the choice, or whether it is meant.
func (a *answering) agrees(seen *parley.AnswerDialogResult) (bool, error) {
	if !a.c.program.canAsk() {
		return false, wrongUse("which question is meant is not said", fmt.Sprintf(
			"Add --dialog %s for “%s”, or --yes for whatever is open.", seen.Dialog.ID, seen.Dialog.Question))
	}
	for _, line := range append([]string{a.c.out.paint(bold, seen.Name)}, a.dialogLines(seen.Dialog)...) {
		fmt.Fprintln(a.c.out.err, a.c.at.shown(line))
	}

	if a.request.Answers() {
		line, err := a.ask("Send %s? [y/N] ", a.words(seen.Dialog))
		return strings.EqualFold(line, "y") || strings.EqualFold(line, "yes"), err
	}

	line, err := a.ask("Your choice (nothing: leave it open): ")
	if line == "" || err != nil {
		return false, err
	}
	o, found := seen.Dialog.Find(line)
	if !found && seen.Dialog.TakesText {
		a.request.Text = line
		return true, nil
	}
	if a.request.Choice = line; found && o.TakesText {
		a.request.Text, err = a.ask("Your text: ")
	}

	return true, err
}

func (a *answering) ask(question string, args ...any) (string, error) {
	fmt.Fprint(a.c.out.err, a.c.at.shown(fmt.Sprintf(question, args...)))
	line, err := a.c.program.readLine(a.lines)
	if errors.Is(err, context.Canceled) {
		a.c.out.goesOn = "Nothing was sent; the question is still open."
		return "", err
	}
	if err != nil { // the person has left
		fmt.Fprintln(a.c.out.err)
		return "", nil
	}
	return strings.TrimSpace(line), nil
}

// knownChoice refuses a choice that a dialog does not offer.
func knownChoice(seen *parley.AnswerDialogResult, choice string) error {
	d := seen.Dialog
	if _, found := d.Find(choice); found || choice == "" || len(d.Options) == 0 {
		return nil
	}

	choice = plain.Truncate(plain.CleanLine(choice), 40)
	return wrongUse(fmt.Sprintf("%s's dialog has no option %q", seen.Name, choice), "Choose one of: "+d.Choices()+".")
}

// words says what is to be sent.
func (a *answering) words(d *parley.Dialog) string {
	if o, found := d.Find(a.request.Choice); found && o.Label != o.Choice {
		return fmt.Sprintf("“%s. %s”", o.Choice, o.Label)
	}
	return fmt.Sprintf("“%s”", a.request.Choice+a.request.Text)
}

// wrongUse returns the error of a command line that cannot be carried out.
func wrongUse(what, action string) error {
	return parley.Errorf(parley.InvalidArgument, "%s", what).Suggest("%s", action)
}

func noDialog(name string) error {
	return parley.Errorf(parley.DialogChanged, "no dialog is open in %s's terminal; nothing was sent", name).
		Suggest("See what its screen shows: parley screen %s", name)
}

// send answers the question that was seen, and shows what followed.
func (a *answering) send(ctx context.Context) error {
	res, err := call[parley.AnswerDialogResult](ctx, a.c, "answer_dialog", a.request)
	if err != nil {
		return a.showChanged(err)
	}
	if a.c.out.json {
		return a.c.out.printJSON(res)
	}

	lines := []string{a.c.out.paint(bold, res.Name) + ": " + res.Message}
	if res.Dialog != nil {
		return a.c.out.printLine(strings.Join(append(lines, a.dialogLines(res.Dialog)...), "\n"))
	}
	return a.c.out.printLine(strings.Join(append(lines, a.screen(res)...), "\n"))
}

// showChanged shows the question that is open now, if the error says that it is another one.
func (a *answering) showChanged(err error) error {
	e := parley.AsError(err)
	open, known := e.Details["dialog"]
	if e.Code != parley.DialogChanged || !known || a.c.out.json {
		return err
	}

	var d parley.Dialog
	if b, failed := json.Marshal(open); failed == nil && json.Unmarshal(b, &d) == nil {
		fmt.Fprintln(a.c.out.err, a.c.at.shown(strings.Join(a.dialogLines(&d), "\n")))
	}

	return err
}

// dialogLines formats a dialog: what it asks, and its options.
func (a *answering) dialogLines(d *parley.Dialog) []string {
	out := a.c
	var lines []string
	for _, line := range d.Lines {
		lines = append(lines, strings.TrimRight(out.out.paint(faint, "  │ ")+line, " "))
	}
	for _, o := range d.Options {
		line := "  " + out.out.paint(bold, pad(o.Choice, 2))
		if o.Several {
			line += map[bool]string{true: " [x]", false: " [ ]"}[o.Ticked]
		}
		if o.Label != o.Choice {
			line += " " + o.Label
		}
		if o.Detail != "" {
			line += out.out.paint(faint, "  "+o.Detail)
		}
		if o.TakesText {
			line += out.out.paint(faint, "  (--text)")
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}

	if d.Hints != "" {
		lines = append(lines, out.out.paint(faint, "  Keys: "+d.Hints))
	}
	switch {
	case d.Secret:
		lines = append(lines, out.out.paint(faint, "  It asks for a secret, which parley does not type."))
	case len(d.Options) == 0 && !d.TakesText:
		lines = append(lines, out.out.paint(faint, "  Its options are not known; its terminal shows them."))
	}

	return lines
}

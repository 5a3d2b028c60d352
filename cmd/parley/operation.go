package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/op"
)

// service returns a client of the daemon, which it starts if none runs.
func (c *cli) service(ctx context.Context) (*client.Client, error) {
	if c.at.host != "" {
		return c.serviceFromAfar(ctx)
	}
	info, err := c.daemonHere(ctx)
	if err != nil {
		return nil, err
	}
	return c.at.clientOf(info), nil
}

// daemonHere returns the daemon that commands speak to. None is started in a sandbox.
func (c *cli) daemonHere(ctx context.Context) (*daemon.Info, error) {
	if daemon.InSandbox() {
		return daemon.OwnDaemon(c.at.env.Get(parley.SocketVariable))
	}
	at, err := c.at.place()
	if err != nil {
		return nil, err
	}
	return c.program.ensureDaemon(ctx, at)
}

// lookAndMark are the operations that read, and then mark what they have shown.
var lookAndMark = []string{"check_inbox", "get_needs"}

// toAgents are the operations that make sense only where agents have been.
var toAgents = []string{
	"stop_agent", "restart_agent", "handoff_agent", "send_message", "broadcast_message", "schedule_message",
	"answer_dialog", "steer_agent",
}

// inUse refuses to read in a place where parley has never run, and whose parley.yaml the user has
// not trusted: reading would leave a daemon and a directory there.
func (c *cli) inUse(ctx context.Context) error {
	if c.at.host != "" || daemon.InSandbox() {
		return nil // its own parley sees to that
	}
	at, err := c.at.place()
	if err != nil || at.InUse() || daemon.Running(ctx, at) != nil {
		return err
	}
	t, err := daemon.LoadTeam(at.TeamFile(), false)
	if err == nil && len(t.Claims) > 0 && daemon.TrustOf(c.at.env).Has(t) {
		return nil
	}

	return parley.Errorf(parley.DaemonUnavailable, "parley is not in use in %s", at.Root).
		Suggest("Begin with parley launch NAME -- PROGRAM, parley up or parley serve, " +
			"or name the workspace with --workspace.")
}

// undecided passes every check on this side. The daemon identifies the caller.
var undecided = parley.Caller{ID: "?", Operator: true}

// decoded decodes the arguments of a call: what flags say, or a request.
func decoded(o *op.Op, args any) (*op.Invocation, error) {
	switch flags, ok := args.(url.Values); {
	case ok:
		return o.DecodeQuery(flags)
	case args == nil:
		return o.Decode(nil)
	}
	b, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("encode the call of %s: %w", o.Name, err)
	}
	return o.Decode(b)
}

// call decodes and makes one call; args are what flags say, a request, or nil. Invalid arguments are refused before a
// daemon is started.
func call[Res any](ctx context.Context, c *cli, name string, args any) (*Res, error) {
	o := op.Find(name)
	decoded, err := decoded(o, args)
	if err != nil {
		return nil, err
	}

	// Conversations are of the whole machine, so that somebody who begins here finds theirs.
	needed := o.Name != "list_sessions" && o.Effect == op.Reads || slices.Contains(lookAndMark, o.Name) ||
		slices.Contains(toAgents, o.Name)
	if needed {
		if err := c.inUse(ctx); err != nil {
			return nil, err
		}
	}

	service, err := c.service(ctx)
	if err != nil {
		return nil, err
	}
	defer service.Close()
	if o.Effect != op.Reads && c.out.goesOn == "" {
		c.out.goesOn = "The daemon may have done it, or do it still; parley log shows that."
	}
	res, err := decoded.Call(parley.WithCaller(ctx, undecided), service)
	if err != nil {
		return nil, c.at.aboutHost(c.aboutProfile(err))
	}
	return res.(*Res), nil
}

// operation is a command that makes one call: decode, call, print.
type operation[Res any] struct {
	op       string
	use      string
	short    string
	example  string
	args     cobra.PositionalArgs                     // nil: what use names
	complete completion                               // of the arguments; nil for names of files
	flags    []string                                 // parameters that are flags: name, or name=flag
	fill     func(args []string, to url.Values) error // nil: they are the first parameters
	print    func(*output, *Res) error                // nil: what the result says
	more     func(context.Context, *cli, *Res) error  // prints what another call says, after print; may be nil
	failed   func(*Res) bool                          // whether the exit status is 1, with --json too; may be nil
}

func (o operation[Res]) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{Use: o.use, Short: o.short, Example: o.example, Args: o.args}
	cmd.ValidArgsFunction = o.complete.by(completer{c})
	read := addFlags(cmd, o.op, o.flags)
	if o.fill == nil {
		o.fill = o.inOrder
	}
	if o.print == nil {
		o.print = printSaid
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		values := read()
		if err := o.fill(args, values); err != nil {
			return err
		}

		res, err := call[Res](cmd.Context(), c, o.op, values)
		if err != nil {
			return err
		}
		if c.out.json {
			err = c.out.printJSON(res)
		} else if err = o.print(c.out, res); err == nil && o.more != nil {
			err = o.more(cmd.Context(), c, res)
		}
		if err == nil && o.failed != nil && o.failed(res) {
			return exitCode(1)
		}

		return err
	}

	return cmd
}

// addFlags adds flags for an operation's parameters. The function that it returns reads
// the given ones.
func addFlags(cmd *cobra.Command, op string, parameters []string) func() url.Values {
	names := map[string]string{} // flag → parameter
	for _, p := range parameters {
		parameter, flag, renamed := strings.Cut(p, "=")
		if !renamed {
			flag = strings.ReplaceAll(parameter, "_", "-")
		}
		names[flag] = parameter
		addFlag(cmd, flag, fieldOf(op, parameter))
	}

	return func() url.Values {
		values := url.Values{}
		for flag, parameter := range names {
			f := cmd.Flag(flag)
			if !f.Changed {
				continue
			}

			values.Set(parameter, f.Value.String())
			if items, err := cmd.Flags().GetStringSlice(flag); err == nil {
				values[parameter] = items
			}
		}

		return values
	}
}

func addFlag(cmd *cobra.Command, flag string, f op.Field) {
	doc := valuesDoc(f)
	switch {
	case f.Time:
		cmd.Flags().Var(&timeFlag{ahead: f.Ahead}, flag, doc+" ("+timeForms+")")
	case f.Type == "boolean":
		cmd.Flags().Bool(flag, false, doc)
	case f.Type == "integer":
		cmd.Flags().Int(flag, 0, doc)
	case f.Type == "array":
		cmd.Flags().StringSlice(flag, nil, doc)
	case f.Type == "object":
		cmd.Flags().String(flag, "", doc+" (a JSON object)")
	default:
		cmd.Flags().String(flag, "", doc)
	}

	completeValues(cmd, flag, f)
}

// valuesDoc returns a parameter's description in the style of flags, with its values if these are few.
func valuesDoc(f op.Field) string {
	if len(f.Enum) == 0 {
		return flagDoc(f)
	}
	return flagDoc(f) + " (" + strings.Join(f.Enum, ", ") + ")"
}

// completeValues completes the values of a flag, if these are few.
func completeValues(cmd *cobra.Command, flag string, f op.Field) {
	if len(f.Enum) > 0 {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(f.Enum, cobra.ShellCompDirectiveNoFileComp))
	}
}

// flagDoc returns a parameter's description in the style of flags.
func flagDoc(f op.Field) string { return flagText(f.Doc) }

// flagText puts a sentence into the style of flags: lower case, no period.
func flagText(sentence string) string {
	text := strings.TrimSuffix(sentence, ".")
	return strings.ToLower(text[:1]) + text[1:]
}

// fieldOf returns a parameter of an operation. It panics if there is none: both names
// are constants of this package, so that any test finds a wrong one.
func fieldOf(name, parameter string) op.Field {
	for _, f := range op.Find(name).Fields {
		if f.Name == parameter {
			return f
		}
	}
	panic(fmt.Sprintf("%s has no parameter %s", name, parameter))
}

// inOrder gives the arguments to the first parameters.
func (o operation[Res]) inOrder(args []string, to url.Values) error {
	for i, arg := range args {
		to.Set(op.Find(o.op).Fields[i].Name, arg)
	}
	return nil
}

// printSaid prints what an operation says that it did.
func printSaid[Res any](o *output, res *Res) error {
	return o.printLine(any(res).(interface{ Said() string }).Said())
}

// offer makes a completion of names that are not files.
func offer(names func(*cobra.Command) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return names(cmd), cobra.ShellCompDirectiveNoFileComp
	}
}

// forEach calls do for every name. It prints errors as they occur and fails at the end
// if there was one.
func (o *output) forEach(names []string, do func(string) error) error {
	failed := false
	for i, name := range names {
		if err := do(name); err != nil {
			if i == len(names)-1 && !failed {
				return err
			}
			o.fail(err)
			failed = true
		}
	}

	if failed {
		return exitCode(1)
	}

	return nil
}

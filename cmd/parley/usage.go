package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"parley/internal/sh"
	"parley/plain"
)

// usageError is the error of an invalid command line.
type usageError struct {
	error
	next string // the next step
}

// misused returns a usage error that points to the command's help.
func misused(cmd *cobra.Command, err error) usageError {
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name())
	if name == "" {
		return usageError{err, "See parley help."}
	}
	return usageError{err, "See parley help" + name + "."}
}

// misusedFlag explains an invalid flag. It drops the parser's reason, which speaks of Go.
func misusedFlag(cmd *cobra.Command, err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		flag := invalid.GetFlag()
		switch {
		case errors.Is(err, errNoTime):
			return misused(cmd, fmt.Errorf("--%s is %q; %w", flag.Name, invalid.GetValue(), errNoTime))
		case flag.Value.Type() == "int":
			return misused(cmd, fmt.Errorf("--%s is %q; give a whole number", flag.Name, invalid.GetValue()))
		case flag.Value.Type() == "bool":
			return misused(cmd, fmt.Errorf("--%s is %q; it takes no value", flag.Name, invalid.GetValue()))
		case flag.Value.Type() == "duration":
			return misused(cmd, fmt.Errorf("--%s is %q; give 30s, 5m or 2h", flag.Name, invalid.GetValue()))
		}
	}

	if cause := errors.Unwrap(err); cause != nil {
		err = errors.New(strings.TrimSuffix(err.Error(), ": "+cause.Error()))
	}

	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if ok {
		if near := plain.Nearest(unknown.GetSpecifiedName(), flagNames(cmd)); near != "" && len(near) > 1 {
			err = fmt.Errorf("there is no flag --%s; did you mean --%s?", unknown.GetSpecifiedName(), near)
		}
	}

	wrong := misused(cmd, err)
	if ok && strings.HasSuffix(cmd.Use, " TEXT…") {
		wrong.next += " If it is part of the text, put -- before the text."
	}

	return wrong
}

// checkFlagsTogether refuses flags that exclude one another. Cobra checks them too, and says so in its own words.
func checkFlagsTogether(cmd *cobra.Command, _ []string) error {
	if cmd.ValidateFlagGroups() == nil {
		return nil
	}

	var given []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			given = append(given, "--"+f.Name)
		}
	})
	return misused(cmd, fmt.Errorf("these do not go together: %s", strings.Join(given, ", ")))
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// usage makes a failed check of the arguments say what the command takes.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		_, takes, _ := strings.Cut(cmd.Use, " ")
		if takes == "" {
			return misused(cmd, fmt.Errorf("%s takes no arguments", cmd.CommandPath()))
		}
		return misused(cmd, fmt.Errorf("%s takes %s; got %s", cmd.CommandPath(), takes, count(len(args), "argument")))
	}
}

// checkArguments lets the commands below one take as many arguments as their lines of usage name.
func checkArguments(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		if sub.Args == nil {
			sub.Args = usage(argumentsOf(sub.Use))
		}
		checkArguments(sub)
	}
}

// argumentsOf returns the check for a line of usage, such as "create TITLE [NAME…] --as ROLE": brackets are around what
// may be left out, and dots are behind what may come more than once.
func argumentsOf(use string) cobra.PositionalArgs {
	least, most, depth := 0, 0, 0
	words := strings.Fields(use)[1:]
	for i, word := range words {
		depth += strings.Count(word, "[")
		flag := strings.HasPrefix(word, "-") || i > 0 && strings.HasPrefix(words[i-1], "--") && words[i-1] != "--"
		switch word = strings.Trim(word, "[]"); {
		case flag, word == "--":
		case strings.HasSuffix(word, "…"), strings.HasSuffix(word, "..."):
			most = math.MaxInt
			fallthrough
		default:
			if depth == 0 {
				least++
			}
			if most < math.MaxInt {
				most++
			}
		}
		depth -= strings.Count(words[i], "]")
	}
	return cobra.RangeArgs(least, most)
}

// noSuchCommand refuses arguments of commands that only have subcommands: such an
// argument is a mistyped command.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}

	var names []string
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}

	if near := plain.Nearest(args[0], names); near != "" {
		return misused(cmd, fmt.Errorf("there is no command %q; did you mean %q?", args[0], near))
	}

	wrong := misused(cmd, fmt.Errorf("there is no command %q", args[0]))
	switch words := instead[args[0]]; {
	case words != "" && cmd == cmd.Root():
		wrong.next = words
	case slices.Contains(names, "show") && args[0] != "list":
		wrong.next = fmt.Sprintf("To see one: %s show %s.", cmd.CommandPath(), sh.Word(args[0]))
		if slices.Contains(names, "list") {
			wrong.next += fmt.Sprintf(" %s list shows all.", cmd.CommandPath())
		}
	case slices.Contains(names, "show"):
		wrong.next = fmt.Sprintf("parley needs lists those that wait for you; %s show NAME NAME shows one.",
			cmd.CommandPath())
	}

	return wrong
}

// instead says what does what people look for under another name.
var instead = map[string]string{
	"budget": "parley usage shows what is used; budget: in parley.yaml sets a limit (docs/responders.md).",
	"cost":   "parley usage shows what is used, with prices: in parley.yaml also in money.",
	"costs":  "parley usage shows what is used, with prices: in parley.yaml also in money.",
	"ps":     "parley agents lists who is there.",
	"ls":     "parley agents lists who is there.",
	"list":   "parley agents lists who is there, parley thread list the threads, parley files the files.",
	"start":  "parley launch starts an agent, parley up the team of parley.yaml.",
	"run":    "parley launch starts an agent, parley up the team of parley.yaml.",
	"tail":   "parley log -f follows the record, parley tui --agent NAME a terminal.",
}

// asksForJSON reports whether an invalid command line has --json.
func asksForJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json")
}

// count formats a number of things, in the singular for one.
func count(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "s"):
		return fmt.Sprintf("%d %ses", n, thing)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/internal/sh"
	"parley/orchestrator/trial"
	"parley/plain"
	"parley/program/profile"
)

type profileLearn struct {
	cli     *cli
	check   profileCheck
	replace bool
	out     string
}

func (k *profileLearn) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "learn NAME -- COMMAND...",
		Short: "Write a profile for a program that parley does not know",
		Long: `Starts a program in a terminal that nobody else sees, in an empty directory, types and pastes
texts, and deletes them again. What that changes on its screen tells where its composer is, how
that looks when it is empty, and what stands in place of a long paste. It presses no Enter: no
model is asked, and no token is used. Then it checks what it found, as parley profiles check does,
and keeps the profile only if that holds. It takes a minute or more. Files in the command may be
named relative to this directory: the profile keeps their whole paths.

The profile is a file of yours that every workspace reads, with the screens beside it. The file
begins with what could not be found out. A file from somebody else counts only after parley trust.`,
		Example: `  parley profiles learn robot -- robot --offline
  parley profiles learn robot --dir . -- robot
  parley launch rob --profile robot`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return k.run(cmd.Context(), args[0], k.whole(args[1:]))
		},
	}
	k.check.flags(cmd.Flags())
	cmd.Flags().StringVar(&k.out, "out", "", "write what was seen into this directory too, also if nothing is learned")
	cmd.Flags().BoolVar(&k.replace, "replace", false, "replace what was learned of it before")

	return cmd
}

// whole returns a command whose paths of files do not depend on where it runs. A word without a slash or an ending may
// be no path.
func (k *profileLearn) whole(command []string) []string {
	command = slices.Clone(command)
	for i, word := range command {
		looks := strings.ContainsRune(word, '/') || i > 0 && filepath.Ext(word) != ""
		if about, err := os.Stat(k.cli.at.absolute(word)); looks && err == nil && about.Mode().IsRegular() {
			command[i] = k.cli.at.absolute(word)
		}
	}
	return command
}

func (k *profileLearn) run(ctx context.Context, name string, command []string) error {
	dir := daemon.LearnedDir(k.cli.at.env)
	switch {
	case k.cli.at.isAgent():
		return parley.Errorf(parley.NotAuthorized, "an agent cannot write a profile in your place").
			Suggest("The operator runs parley profiles learn in a terminal of their own.")
	case sh.IsShell(command):
		return parley.Errorf(parley.InvalidArgument, "%s is a shell: it would run what it is told", command[0]).
			Suggest("Name the agent program itself.")
	case dir == "":
		return parley.Errorf(parley.InvalidArgument, "there is no directory to keep the profile in").
			Suggest("Set HOME, or XDG_CONFIG_HOME to a directory that is kept.")
	}

	file := filepath.Join(dir, name+".yaml")
	p, err := k.starting(name, file)
	if err != nil {
		return err
	}
	k.check.again = "parley profiles learn " + sh.Word(name)
	opts, err := k.check.options(ctx, p, command)
	if err != nil {
		return err
	}
	if k.cli.program.canAsk() {
		opts.Ask = k.ask
	}
	if !k.cli.out.json {
		if err := k.cli.out.printLine(k.cli.out.paint(bold, strings.TrimSpace(name+" "+opts.Version)) +
			": " + opts.Program); err != nil {
			return err
		}
	}

	lesson, err := trial.Learn(ctx, name, command, opts)
	if k.out != "" {
		err = errors.Join(err, keepLesson(k.cli.at.absolute(k.out), name, &lesson))
	}
	if err != nil {
		return err
	}
	if failed := lesson.Result.Failed(); len(failed) > 0 || slices.ContainsFunc(lesson.Result.Findings, untried) {
		return parley.Errorf(parley.InvalidArgument, "what was learned of %s does not hold: %s", name,
			lesson.Result.Words()).
			Suggest("Nothing was written. Use the profile generic, or write the markers by hand.")
	}
	if err := keepLesson(dir, name, &lesson); err != nil {
		return err
	}
	if err := k.trustLearned(file); err != nil {
		return err
	}
	if checks := place.ChecksDir(k.cli.at.env); checks != "" {
		if err := trial.Keep(checks, lesson.Result); err != nil {
			return err
		}
	}

	return k.learned(name, file, &lesson)
}

func untried(f trial.Finding) bool {
	return f.Verdict == trial.NotTried && f.Guarantee != trial.Lines && f.Saw != trial.NoModel
}

// starting returns the profile to start from, unless another one has the name.
func (k *profileLearn) starting(name, file string) (*profile.Profile, error) {
	set, err := k.cli.profileSet()
	if err != nil {
		return nil, err
	}
	if _, err := set.With(name, []byte("{}")); err != nil {
		return nil, err // the name is wrong
	}

	_, missing := os.Stat(file)
	learned := !errors.Is(missing, fs.ErrNotExist)
	if _, unknown := set.Find(name); unknown == nil && !learned {
		return nil, parley.Errorf(parley.InvalidArgument, "there is a profile %s already", name).
			Suggest("Try it: parley profiles check %s. Or choose another name.", name)
	}
	if learned && !k.replace {
		return nil, parley.Errorf(parley.InvalidArgument, "%s is there already", file).
			Suggest("Learn it again with --replace, or choose another name.")
	}

	return set.Find(profile.Default)
}

// ask has the person answer what a program asks before it is ready.
func (k *profileLearn) ask(words string, attach []string) error {
	fmt.Fprintf(k.cli.out.err,
		"%s\nAnswer it in another terminal, and leave that with Ctrl-B d:\n  %s\nThen press Enter "+
			"here. ",
		plain.CleanLine(words), sh.Line(attach))
	_, err := k.cli.program.readLine(bufio.NewReader(k.cli.program.in))
	return err
}

// keepLesson writes a profile and its captures.
func keepLesson(dir, name string, l *trial.Lesson) error {
	beside := filepath.Join(dir, name)
	files := map[string]string{filepath.Join(dir, name+".yaml"): string(l.YAML)}
	for _, c := range l.Captures {
		for file, text := range captureFiles(&c) {
			files[filepath.Join(beside, file)] = text
		}
	}

	err := os.RemoveAll(beside) // of an earlier lesson
	err = errors.Join(err, os.MkdirAll(beside, 0o700))
	for file, text := range files {
		err = errors.Join(err, os.WriteFile(file, []byte(text), 0o600))
	}
	if err != nil {
		return parley.Errorf(parley.StorageUnavailable, "the profile cannot be kept: %w", place.PathCause(err)).
			Suggest("Make %s writable for you.", dir)
	}

	return nil
}

// captureFiles returns a screen in the form of the tests of profiles: its first line says how it must be read.
func captureFiles(c *trial.Capture) map[string]string {
	s := &c.Screen
	head := func(state profile.State, composer *string) string {
		text, _ := json.Marshal(struct { // strings and numbers
			Width    int           `json:"width"`
			CursorX  int           `json:"cursor_x"`
			CursorY  int           `json:"cursor_y"`
			State    profile.State `json:"state"`
			Composer *string       `json:"composer"`
		}{s.Width, s.CursorX, s.CursorY, state, composer})
		return string(text) + "\n"
	}

	name := fmt.Sprintf("%dx%d-%s", s.Width, s.Height, c.Name)
	files := map[string]string{name + ".txt": head(c.State, c.Plain) + strings.Join(s.Lines, "\n") + "\n"}
	if c.Plain == nil || c.Composer == nil || *c.Plain != *c.Composer {
		files[name+".ansi"] = head(c.State, c.Composer) + strings.Join(s.Styled, "\n") + "\n"
	}
	return files
}

// trustLearned trusts a file that this command has written.
func (k *profileLearn) trustLearned(file string) error {
	t, err := daemon.LoadLearned(file)
	if err != nil {
		return err
	}
	return daemon.TrustOf(k.cli.at.env).Add(t)
}

func (k *profileLearn) learned(name, file string, l *trial.Lesson) error {
	if k.cli.out.json {
		return k.cli.out.printJSON(struct {
			parley.Answer
			trial.Result
			File    string   `json:"file"`
			Unknown []string `json:"unknown"`
		}{parley.OK, l.Result, file, l.Unknown})
	}

	lines := []string{"learned: " + file, "not known:"}
	for _, words := range l.Unknown {
		lines = append(lines, "  "+words)
	}
	lines = append(lines, "→ Launch it: parley launch NAME --profile "+name+". Share it: parley profiles share "+name)
	return k.cli.out.printLine(strings.Join(lines, "\n"))
}

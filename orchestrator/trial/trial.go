// Package trial tries a profile with the program that is installed: it starts the program in a terminal that
// nobody else uses, types drafts and pastes texts, and never presses Enter, so that no model is asked, unless
// a scripted one is there to be asked. Screens are read as the courier reads them.
package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/program/profile"
)

// Guarantee is something that parley relies on when it types to a program.
type Guarantee string

// Words returns what people read. The stored word for that of a program's door is older.
func (g Guarantee) Words() string {
	if g == Door {
		return "door"
	}
	return string(g)
}

// The guarantees, in the order in which they are tried.
const (
	Rest   Guarantee = "rest"       // the screen says that the program waits for a prompt
	Draft  Guarantee = "draft"      // a text that a person types is read as it stands there, and gone when deleted
	Escape Guarantee = "escape"     // Escape leaves that text
	Short  Guarantee = "paste"      // a message of one line is seen in the composer
	Lines  Guarantee = "lines"      // so is one of several lines,
	Signs  Guarantee = "characters" // one with emoji, accents and Chinese,
	Long   Guarantee = "long paste" // and a long one, or what the program shows in its place
)

// WithoutModel lists them in that order.
func WithoutModel() []Guarantee { return []Guarantee{Rest, Draft, Escape, Short, Lines, Signs, Long} }

// Verdict says how a guarantee came out.
type Verdict string

// The verdicts.
const (
	Holds    Verdict = "holds"
	Fails    Verdict = "fails"
	NotTried Verdict = "not tried"
)

// Finding is what came of one guarantee.
type Finding struct {
	Guarantee Guarantee `json:"guarantee"`
	Verdict   Verdict   `json:"verdict"`
	Saw       string    `json:"saw,omitempty"` // what was seen instead, or why it was not tried
}

// Result is what came of a trial.
type Result struct {
	Profile  string    `json:"profile"`
	Version  string    `json:"version"` // of the program; "" if it does not print one
	Program  string    `json:"program"` // its path
	At       time.Time `json:"at"`
	Size     string    `json:"size"` // of the terminal, as 120x40
	Findings []Finding `json:"findings"`
}

// Options describe a trial.
type Options struct {
	Profile *profile.Profile
	Program string   // the path of the program
	Args    []string // of the command, before what the profile adds
	Version string

	// Model is the URL of a scripted model, which the program talks to in a home directory of the trial's: see
	// profile.Scripted. "": no model is asked, and what takes one is not tried.
	Model string

	Dir      string   // where it runs; "": a directory that is removed again
	Env      []string // without what a program must not inherit
	Width    int
	Height   int
	Patience time.Duration // for its first rest
	Now      func() time.Time
	Tell     func(Finding) // each as it comes

	// Ask has a person answer what the program asks before it can be learned, in a terminal that the command
	// attaches. nil: nobody can be asked.
	Ask func(words string, attach []string) error
}

// Size returns the columns and rows of the terminal, as 120x40.
func (o *Options) Size() string { return fmt.Sprintf("%dx%d", o.Width, o.Height) }

// Run tries a profile. What fails is tried once more, from the beginning: a busy machine can be the cause. Run fails if
// the profile knows nothing of the program's screen, or if the program cannot be started or ends.
func Run(ctx context.Context, opts Options) (res Result, err error) {
	if !opts.Profile.HasMarkers() {
		return res, parley.Errorf(parley.InvalidArgument,
			"the profile %s knows nothing of its program's screen, so there is nothing to check", opts.Profile.Name).
			Suggest("Messages to it are typed as carefully as to any program that parley does not know.")
	}

	if err := opts.checkModel(); err != nil {
		return res, err
	}

	tell, first := opts.Tell, opts
	var told []Guarantee
	first.Tell = func(f Finding) {
		if tell != nil && f.Verdict != Fails && f.Saw != triedAgain {
			told = append(told, f.Guarantee)
			tell(f)
		}
	}
	if res, err := first.once(ctx, true); err != nil || len(res.Failed()) == 0 {
		return res, err
	}
	opts.Tell = func(f Finding) {
		if tell != nil && !slices.Contains(told, f.Guarantee) {
			tell(f)
		}
	}
	return opts.once(ctx, false)
}

// triedAgain says why nothing follows a failure the first time.
const triedAgain = "it is tried again"

// once tries a profile once, up to what fails or to the end.
func (o *Options) once(ctx context.Context, upToFailure bool) (res Result, err error) {
	stage, err := o.stage(ctx, nil)
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, stage.close(context.WithoutCancel(ctx))) }()

	w := &walk{
		opts: o, upToFailure: upToFailure, t: stage.terminal(o.Profile), script: stage.script, dir: stage.dir,
		private: stage.private(), entered: stage.opened,
	}
	w.findings, err = w.all(ctx)
	return Result{
		Profile: o.Profile.Name, Version: o.Version, Program: o.Program, At: o.Now().UTC(),
		Size: o.Size(), Findings: w.findings,
	}, err
}

// Failed lists the guarantees that fail.
func (r *Result) Failed() (failed []Guarantee) {
	for _, f := range r.Findings {
		if f.Verdict == Fails {
			failed = append(failed, f.Guarantee)
		}
	}
	return failed
}

// noMatterOfTyping are what a program does with Escape and with its queue, how it shows a failure of its model, and
// what comes through its own door or its hooks.
var noMatterOfTyping = []Guarantee{Escape, Queue, Door, Hooks, Refusal}

// Misread reports whether a marker does not fit.
func (r *Result) Misread() bool {
	return slices.ContainsFunc(r.Failed(), func(g Guarantee) bool { return !slices.Contains(noMatterOfTyping, g) })
}

// Tried reports whether anything came out, one way or the other.
func (r *Result) Tried() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Verdict != NotTried })
}

// untried returns why nothing was tried.
func (r *Result) untried() string {
	if len(r.Findings) == 0 {
		return "nothing was tried"
	}
	return r.Findings[0].Saw
}

// with returns the result with what an earlier one, of the same version, found with a model, where this one had none.
func (r Result) with(earlier Result) Result {
	r.Findings = slices.Clone(r.Findings)
	for i, f := range r.Findings {
		same := func(e Finding) bool { return e.Guarantee == f.Guarantee }
		if at := slices.IndexFunc(earlier.Findings, same); f.Saw == NoModel && at >= 0 {
			r.Findings[i] = earlier.Findings[at]
		}
	}
	return r
}

// Words says which guarantees hold, as "rest, draft hold; long paste fails; lines not tried".
func (r *Result) Words() string {
	var parts []string
	for _, verdict := range []Verdict{Holds, Fails, NotTried} {
		var names []string
		for _, f := range r.Findings {
			if f.Verdict == verdict {
				names = append(names, f.Guarantee.Words())
			}
		}
		word := string(verdict)
		if len(names) > 1 || len(names) == 1 && strings.HasSuffix(names[0], "s") {
			word = strings.TrimSuffix(word, "s")
		}
		if len(names) > 0 {
			parts = append(parts, strings.Join(names, ", ")+" "+word)
		}
	}
	return strings.Join(parts, "; ")
}

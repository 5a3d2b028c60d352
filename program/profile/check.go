package profile

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley"
	"parley/plain"
)

// keyForm matches the keys that submit in the measured programs. In one of them Tab
// queues where Enter interrupts.
var keyForm = regexp.MustCompile(`^(?:Enter|Tab)$`)

// maxWait bounds the times in a profile. A longer one has the wrong unit.
const maxWait = 10 * time.Minute

// check returns an error for a value that no profile may have.
func (c checker) check() error {
	p := c.p
	for _, f := range []struct {
		key string
		d   time.Duration
	}{
		{"settle", p.Settle}, {"show_within", p.ShowWithin}, {"taken_within", p.TakenWithin},
		{"refuses_within", p.RefusesWithin}, {"startup", p.Startup}, {"quiet", p.Quiet}, {"still", p.Still},
		{"stagger", p.Stagger},
	} {
		if f.d < 0 || f.d > maxWait {
			return c.invalid(f.key, f.d.String()).Suggest("Give a time from 0s to %s, such as 200ms.", maxWait)
		}
	}

	for _, f := range []struct {
		key string
		n   int
	}{{"inline_lines", p.InlineLines}, {"inline_chars", p.InlineChars}, {"inline_bytes", p.InlineBytes}} {
		if f.n < 0 {
			return c.invalid(f.key, fmt.Sprint(f.n)).Suggest("Give a number above 0, or 0 for no limit.")
		}
	}

	for _, cause := range p.Markers.Refusals {
		if _, ok := p.Markers.Blocked[cause]; !ok {
			return c.invalid("markers.refusals", cause).Suggest("List causes that markers.blocked has.")
		}
	}

	if !keyForm.MatchString(p.Key) {
		return c.invalid("key", p.Key).Suggest("Give Enter or Tab.")
	}

	if p.QueueKey != "" && !keyForm.MatchString(p.QueueKey) {
		return c.invalid("queue_key", p.QueueKey).
			Suggest("Give Enter or Tab, or leave it out where the program's queue is not proven.")
	}

	if len(p.Command) > 0 && p.Command[0] == "" {
		return c.invalid("command", "").Suggest("Begin the list with the program to run.")
	}

	for _, version := range p.Tested {
		if versionForm.FindString(version) != version {
			return c.invalid("tested", version).Suggest("List versions, such as 2.1.329.")
		}
	}

	return cmp.Or(c.handover(), p.Scripted.check(c.invalid), p.Door.check(p.Name), p.Sandbox.check(c))
}

// compile checks and compiles the patterns.
func (c checker) compile() error {
	p := c.p
	if err := cmp.Or(c.reports(), c.session(), c.hooks()); err != nil {
		return err
	}
	if err := p.Kept.Compile(); err != nil {
		return c.invalid("kept", err.Error()).Suggest("Correct the section, or leave it out.")
	}
	if err := p.Transcript.Compile(); err != nil {
		return parley.Errorf(parley.InvalidArgument, "profile %s: transcript: %w", p.Name, err).
			With("key", "transcript").
			Suggest("Correct the section, or leave it out: then parley reads no transcript.")
	}

	for _, m := range []struct {
		key          string
		texts        map[string]string
		before, then string
		into         *map[string]*regexp.Regexp
	}{
		{"blocked", p.Markers.Blocked, "", "", &p.patterns.blocked},
		{"questions", p.Markers.Questions, "(?i:", questionEnd, &p.patterns.questions},
		{"dialogs", p.Markers.Dialogs, "(?i:", ")", &p.patterns.dialogs},
	} {
		*m.into = make(map[string]*regexp.Regexp, len(m.texts))
		for name, text := range m.texts {
			re, err := c.pattern("markers."+m.key+"."+name, m.before+text+m.then)
			if err != nil {
				return err
			}
			(*m.into)[name] = re
		}
	}

	for _, m := range []struct {
		key, text string
		into      **regexp.Regexp
	}{
		{"markers.dialog", p.Markers.Dialog, &p.patterns.dialog},
		{"markers.busy", p.Markers.Busy, &p.patterns.busy},
		{"markers.idle", p.Markers.Idle, &p.patterns.idle},
		{"markers.composer", p.Markers.Composer, &p.patterns.composer},
		{"markers.empty", p.Markers.Empty, &p.patterns.empty},
		{"markers.paste", p.Markers.Paste, &p.patterns.paste},
		{"markers.dialog_above", p.Markers.DialogAbove, &p.patterns.dialogAbove},
		{"markers.text_option", p.Markers.TextOption, &p.patterns.textOption},
		{"markers.footer", p.Markers.Footer, &p.patterns.footer},
		{"markers.buttons", p.Markers.Buttons, &p.patterns.buttons},
		{"markers.resets", p.Markers.Resets, &p.patterns.resets},
		{"markers.quota", p.Markers.Quota, &p.patterns.quota},
		{"markers.answer", p.Markers.Answer, &p.patterns.answer},
		{"garbles", p.Garbles, &p.patterns.garbles},
		{"door.alters", p.Door.Alters, &p.patterns.alters},
	} {
		if m.text == "" {
			continue
		}

		re, err := c.pattern(m.key, m.text)
		if err != nil {
			return err
		}

		*m.into = re
	}

	p.patterns.prepare()

	return c.groups()
}

// prepare notes what the markers of a screen's state need.
func (p *patterns) prepare() {
	p.causes = slices.Sorted(maps.Keys(p.blocked))
	p.needs = map[*regexp.Regexp][]string{}
	for _, re := range slices.Concat(slices.Collect(maps.Values(p.blocked)),
		[]*regexp.Regexp{p.dialog, p.busy, p.idle}) {
		if re != nil {
			p.needs[re] = needed(re)
		}
	}
}

// groups returns an error unless the patterns that need a group named text have it.
func (c checker) groups() error {
	p := c.p
	for _, m := range []struct {
		key, text, holds string
		re               *regexp.Regexp
	}{
		{"markers.composer", p.Markers.Composer, "composed text", p.patterns.composer},
		{"markers.buttons", p.Markers.Buttons, "labels", p.patterns.buttons},
		{"markers.resets", p.Markers.Resets, "words", p.patterns.resets},
		{"markers.quota", p.Markers.Quota, "words of its end", p.patterns.quota},
	} {
		if m.re != nil && textGroup(m.re) < 0 {
			return c.invalid(m.key, m.text).Suggest("Put the %s into a group named text: (?P<text>…).", m.holds)
		}
	}
	return nil
}

// VersionIn returns the version in the output of a program that prints its version, ""
// if there is none.
func VersionIn(printed string) string { return versionForm.FindString(printed) }

// Covers reports whether a version lies between the oldest and the newest that the
// profile was tried with. A profile tried with none covers every version.
func (p *Profile) Covers(version string) bool {
	if len(p.Tested) == 0 {
		return true
	}
	oldest, newest := slices.MinFunc(p.Tested, compareVersions), slices.MaxFunc(p.Tested, compareVersions)
	return compareVersions(oldest, version) <= 0 && compareVersions(version, newest) <= 0
}

// IsNewer reports whether a version is newer than all of others. It is not if there are none.
func IsNewer(version string, others []string) bool {
	return len(others) > 0 && compareVersions(version, slices.MaxFunc(others, compareVersions)) > 0
}

// compareVersions compares dotted numbers part by part. A version that lacks a part is
// older.
func compareVersions(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "."), strings.Split(b, "."), func(a, b string) int {
		m, _ := strconv.ParseUint(a, 10, 64)
		n, _ := strconv.ParseUint(b, 10, 64)
		return cmp.Compare(m, n)
	})
}

// A marker mostly does not match, and to find that out takes longer than to look for the words
// without which it cannot.

// shows reports whether a text matches a marker. nil matches nothing.
func (p *patterns) shows(marker *regexp.Regexp, text string) bool {
	if marker == nil {
		return false
	}
	needs := p.needs[marker]
	holds := func(word string) bool { return strings.Contains(text, word) }
	return (len(needs) == 0 || slices.ContainsFunc(needs, holds)) && marker.MatchString(text)
}

// needed returns the words of which a text must hold one to match an expression. There are none if
// that is not known.
func needed(re *regexp.Regexp) []string {
	parsed, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	return neededBy(parsed)
}

func neededBy(re *syntax.Regexp) (words []string) {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 {
			words = []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		words = neededBy(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			words = neededBy(re.Sub[0])
		}
	case syntax.OpConcat:
		for _, part := range re.Sub {
			if of := neededBy(part); shortest(of) > shortest(words) {
				words = of
			}
		}
	case syntax.OpAlternate:
		for _, way := range re.Sub {
			of := neededBy(way)
			if len(of) == 0 {
				return nil
			}
			words = append(words, of...)
		}
	}

	return words
}

// shortest returns the length of the shortest word, 0 if there are none.
func shortest(words []string) int {
	if len(words) == 0 {
		return 0
	}
	lengths := make([]int, len(words))
	for i, word := range words {
		lengths[i] = utf8.RuneCountInString(word)
	}
	return slices.Min(lengths)
}

// textGroup returns the number of the group that holds the composer's text, -1 if there
// is none.
func textGroup(re *regexp.Regexp) int { return re.SubexpIndex("text") }

// dialogPatterns are those for answers to dialogs.
type dialogPatterns struct{ dialogAbove, textOption, buttons *regexp.Regexp }

// patterns are a profile's regular expressions, compiled. nil: the profile has none.
type patterns struct {
	dialog, busy, idle     *regexp.Regexp
	composer, empty, paste *regexp.Regexp
	footer                 *regexp.Regexp
	garbles, alters        *regexp.Regexp

	dialogPatterns
	limitPatterns
	answer *regexp.Regexp

	blocked            map[string]*regexp.Regexp
	causes             []string // of blocked, in their order
	questions, dialogs map[string]*regexp.Regexp
	titles             []title
	session            *regexp.Regexp
	transcript         *regexp.Regexp

	needs map[*regexp.Regexp][]string // see needed
}

// limitPatterns are those of usage limits.
type limitPatterns struct{ resets, quota *regexp.Regexp }

// questionEnd ends the pattern of a question: signs may follow up to the cursor.
const questionEnd = `)[ :?.>)…]*\z`

// title is the signal of a terminal's title that matches the pattern.
type title struct {
	re     *regexp.Regexp
	signal Signal
}

// checker checks a profile that was read, and compiles its patterns.
type checker struct{ p *Profile }

// pattern compiles the pattern under a key.
func (c checker) pattern(key, text string) (*regexp.Regexp, error) {
	re, err := regexp.Compile("(?m)" + text)
	if err != nil {
		return nil, parley.Errorf(parley.InvalidArgument, "profile %s: %s: %w", c.p.Name, key, err).With("key", key).
			Suggest("Correct the regular expression; RE2 has no look-around and no back-references.")
	}
	return re, nil
}

func (c checker) invalid(key, value string) *parley.Error { return invalid(c.p.Name, key, value) }

func invalid(profile, key, value string) *parley.Error {
	return parley.Errorf(parley.InvalidArgument, "profile %s: %s is %q", profile, key, plain.CleanLine(value)).
		With("key", key)
}

// versionForm matches a dotted number. The programs print names, brackets and commits
// around it.
var versionForm = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+`)

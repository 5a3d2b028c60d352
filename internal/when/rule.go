package when

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // the zone that was meant, on a machine that has no list of them too

	"github.com/netresearch/go-cron"
)

// RuleForms describes the rules that ParseRule understands.
const RuleForms = `"30m", "daily 18:00", "weekdays 9:00", "mon,thu 10:00" or the five fields of cron, "0 9 * * 1-5"`

// LeastInterval is the shortest time between two times of a rule.
const LeastInterval = time.Minute

const day = 24 * time.Hour

// Rule says at which times something comes again and again.
type Rule struct {
	interval time.Duration // between two times; 0: fields decides
	fields   cron.Schedule // on clocks that are never put forward or back
	hourly   bool          // it does not name hours: each hour that passes is one of its own
}

var (
	fiveFields = cron.MustNewParser(cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.DowOrDom)
	weekForm   = regexp.MustCompile(`^[a-z]{3,9}(?:[,-][a-z]{3,9})*$`)
	dayName    = regexp.MustCompile(`[a-z]+`)
)

// daysWords are the days of a rule that have a name together.
var daysWords = map[string]string{"daily": "*", "day": "*", "weekdays": "1-5", "weekday": "1-5", "weekends": "0,6",
	"weekend": "0,6"}

// ParseRule parses a rule as people write it: a span, days with a time of day, or a line of cron.
func ParseRule(text string) (Rule, error) {
	text = strings.TrimPrefix(strings.Join(strings.Fields(strings.ToLower(text)), " "), "every ")
	if span, ok := parseSpan(text); ok && text != "" {
		if span < LeastInterval {
			return Rule{}, fmt.Errorf("%s is shorter than a minute", text)
		}
		return Rule{interval: span}, nil
	}

	if days, clock, ok := strings.Cut(text, " "); ok && weekForm.MatchString(days) {
		at, known := clockOn(time.Time{}, time.UTC, strings.TrimPrefix(clock, "at "))
		if !known {
			return Rule{}, fmt.Errorf("%s is not a time of day", clock)
		}
		names, named := daysWords[days]
		if !named {
			names = dayName.ReplaceAllStringFunc(days, shortDay)
		}
		text = fmt.Sprintf("%d %d * * %s", at.Minute(), at.Hour(), names)
	}

	fields := strings.Fields(text)
	if len(fields) != 5 {
		return Rule{}, fmt.Errorf("%q is no rule", text)
	}
	parsed, err := fiveFields.Parse(text)
	if err != nil {
		return Rule{}, fmt.Errorf("%q is no rule: %w", text, err)
	}
	if parsed.Next(time.Unix(0, 0).UTC()).IsZero() {
		return Rule{}, fmt.Errorf("%q never comes", text)
	}

	return Rule{fields: parsed, hourly: fields[1] == "*"}, nil
}

// shortDay returns the name of a day of the week as cron has it; what is none stays.
func shortDay(name string) string {
	for d := range 7 {
		if strings.HasPrefix(strings.ToLower(time.Weekday(d).String()), name) {
			return name[:3]
		}
	}
	return name
}

// Next returns the first time of the rule after a time, on the clocks of a zone. Those of a span are counted from
// anchor. Where the clocks are put forward, a time of day that does not exist comes as much later as they jump; where
// they are put back, one that comes twice counts the first time. A rule of each hour goes by the hours that pass.
func (r Rule) Next(after, anchor time.Time, zone *time.Location) time.Time {
	if r.interval > 0 {
		return anchor.Add((max(after.Sub(anchor), 0)/r.interval + 1) * r.interval).In(zone)
	}
	if r.hourly {
		return r.fields.Next(after.In(zone))
	}

	_, offset := after.In(zone).Zone()
	clock := after.UTC().Add(time.Duration(offset) * time.Second)
	if _, before := after.Add(-day).In(zone).Zone(); before != offset {
		clock = clock.Add(-day) // what the clocks leave out may come yet
	}
	for {
		clock = r.fields.Next(clock)
		if clock.IsZero() {
			return clock
		}
		if at := onClocks(clock, zone); at.After(after) {
			return at
		}
	}
}

// onClocks returns when the clocks of a zone show what clock, a time of UTC, shows: the first time if they show it
// twice. What they leave out is counted on by the clocks before.
func onClocks(clock time.Time, zone *time.Location) time.Time {
	before := clock.Add(-day).In(zone)
	_, offset := before.Zone()
	at := clock.Add(-time.Duration(offset) * time.Second).In(zone)
	if _, now := at.Zone(); now == offset {
		return at
	}

	// The clocks have been put to another time since then. Where they do not show it now, they never did.
	_, offset = at.Zone()
	if later := clock.Add(-time.Duration(offset) * time.Second).In(zone); later.Format(time.DateTime) ==
		clock.Format(time.DateTime) {
		return later
	}
	return at
}

// ZoneName returns the name of the local zone in the IANA database, such as Europe/Berlin, "" if it is not known.
// variable is the value of TZ.
func ZoneName(variable string) string {
	name := strings.TrimPrefix(variable, ":")
	if name == "" {
		name, _ = filepath.EvalSymlinks("/etc/localtime")
	}
	if _, rest, ok := strings.Cut(name, "/zoneinfo/"); ok {
		name = rest
	}
	if filepath.IsAbs(name) || name == "" {
		text, _ := os.ReadFile("/etc/timezone")
		name = strings.TrimSpace(string(text))
	}
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return ""
	}
	return name
}

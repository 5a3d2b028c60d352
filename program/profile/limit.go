package profile

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// UsageLimit is the cause in Blocked of a program whose provider refuses it for a time.
const UsageLimit = "a usage limit"

// limitWords returns the program's own words of when its usage limit ends, "" if it does not say.
func (p *patterns) limitWords(tail string) string {
	if p.resets == nil {
		return ""
	}

	between := func(r rune) bool { return isBlank(r) || strings.ContainsRune("│┃", r) }
	text := strings.Join(strings.FieldsFunc(tail, between), " ")
	found := p.resets.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1][textGroup(p.resets)]
}

// Warning is what a program shows of a quota that is nearly used.
type Warning struct {
	Used int    // in percent
	Name string // of what, such as "5-hour limit"
	Ends string // the words that say when it begins again, see ParseReset
}

func (p *patterns) warning(tail string) (w Warning) {
	if p.quota == nil {
		return w
	}
	found := p.quota.FindStringSubmatch(tail)
	for i, group := range p.quota.SubexpNames() {
		switch {
		case found == nil:
		case group == "used":
			w.Used, _ = strconv.Atoi(found[i]) // digits
		case group == "name":
			w.Name = strings.Join(strings.Fields(found[i]), " ")
		case group == "text":
			w.Ends = strings.Join(strings.Fields(found[i]), " ")
		}
	}
	return w
}

var (
	clockForm = regexp.MustCompile(`(?i)\b(\d{1,2})(?::(\d{2}))?(?::\d{2})? ?([ap])\.?m\b|\b(\d{1,2}):(\d{2})\b`)
	dayForm   = regexp.MustCompile(`(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* ` +
		`(\d{1,2})(?:st|nd|rd|th)?\b(?:,? (\d{4})\b)?`)
	zoneForm = regexp.MustCompile(
		`\(([A-Za-z_]+(?:/[A-Za-z_+-]+[0-9]*)*)\)|\b(?:GMT|UTC)([+-]\d{1,2})(?::?(\d{2}))?\b|\b(UTC|GMT)\b`)
	spanForm = regexp.MustCompile(
		`(?i)(\d{1,9}) ?(days|day|d|hours|hour|hrs|hr|h|milliseconds|ms|minutes|minute|mins|min|m|seconds|second|secs|sec|s)`)
	inForm = regexp.MustCompile(`(?i)\bin (.*)`)
)

// months are the beginnings of the months' names.
const months = "janfebmaraprmayjunjulaugsepoctnovdec"

// longestLimit bounds the end of a limit: one that is further away was misread.
const longestLimit = 10 * 366 * 24 * time.Hour

// ParseReset reads when a limit ends from words such as "resets 3pm (Europe/Berlin)", "try
// again in 2h 14m" or "10800000ms". seen is when they were first shown, and local the zone of the program. It
// is not ok for words that it does not understand whole.
func ParseReset(words string, seen time.Time, local *time.Location) (at time.Time, ok bool) {
	switch in := inForm.FindStringSubmatch(words); {
	case in != nil:
		span, ok := parseSpan(in[1])
		return seen.Add(span), ok
	case clockForm.MatchString(words):
		at, ok = parseClock(words, seen, local)
	default:
		span, ok := parseSpan(words)
		return seen.Add(span), ok
	}
	return at, ok && at.Sub(seen) < longestLimit
}

// parseSpan adds up words such as "2 days 3 hours".
func parseSpan(words string) (span time.Duration, ok bool) {
	units := map[byte]time.Duration{'d': 24 * time.Hour, 'h': time.Hour, 'm': time.Minute, 's': time.Second}
	for _, match := range spanForm.FindAllStringSubmatch(words, -1) {
		n, _ := strconv.Atoi(match[1])
		unit := units[strings.ToLower(match[2])[0]]
		if strings.HasPrefix(match[2], "mil") || match[2] == "ms" {
			unit = time.Millisecond
		}
		if time.Duration(n) > longestLimit/unit {
			return 0, false
		}
		span += time.Duration(n) * unit
	}

	rest := strings.ReplaceAll(spanForm.ReplaceAllString(words, ""), "and", "")
	whole := strings.Trim(rest, " ,.") == ""

	return span, whole && span > 0 && span < longestLimit
}

// parseClock reads a time of day, with or without a date: the next such time.
func parseClock(words string, seen time.Time, local *time.Location) (time.Time, bool) {
	zone, ok := zoneOf(words, local)
	if !ok {
		return time.Time{}, false
	}
	hour, minute, ok := clockOf(words)
	if !ok || !isWholeClock(words) {
		return time.Time{}, false
	}

	seen = seen.In(zone)
	date := dayForm.FindStringSubmatch(words)
	if date == nil {
		at := time.Date(seen.Year(), seen.Month(), seen.Day(), hour, minute, 0, 0, zone)
		if at.Before(seen.Add(-time.Minute)) { // the time has only minutes
			at = time.Date(seen.Year(), seen.Month(), seen.Day()+1, hour, minute, 0, 0, zone)
		}
		return at, true
	}

	month := time.Month(strings.Index(months, strings.ToLower(date[1]))/3 + 1)
	day, _ := strconv.Atoi(date[2])
	year := seen.Year()
	if date[3] != "" {
		year, _ = strconv.Atoi(date[3])
	} else if month < seen.Month() {
		year++
	}
	at := time.Date(year, month, day, hour, minute, 0, 0, zone)

	return at, at.Day() == day && at.After(seen.Add(-24*time.Hour))
}

// isWholeClock reports whether words have nothing but a time of day, a date and a zone, and what may stand
// around them. "Monday 3pm" is another day than 3pm.
func isWholeClock(words string) bool {
	for _, form := range []*regexp.Regexp{zoneForm, dayForm, clockForm} {
		words = form.ReplaceAllString(words, "")
	}
	return !slices.ContainsFunc(strings.Fields(words), func(word string) bool {
		return !slices.Contains(aroundClock, strings.ToLower(strings.Trim(word, ",.")))
	})
}

// aroundClock are the words that may stand around a time of day; "" is left of a comma.
var aroundClock = []string{"", "access", "after", "again", "at", "on", "resets", "try", "until"}

func clockOf(words string) (hour, minute int, ok bool) {
	match := clockForm.FindStringSubmatch(words)
	if match[3] == "" {
		hour, _ = strconv.Atoi(match[4])
		minute, _ = strconv.Atoi(match[5])
		return hour, minute, hour < 24 && minute < 60
	}

	hour, _ = strconv.Atoi(match[1])
	minute, _ = strconv.Atoi(match[2])
	ok = hour >= 1 && hour <= 12 && minute < 60
	hour %= 12
	if strings.EqualFold(match[3], "p") {
		hour += 12
	}

	return hour, minute, ok
}

// zoneOf returns the zone that words name, local if they name none. An unknown one is not ok.
func zoneOf(words string, local *time.Location) (*time.Location, bool) {
	match := zoneForm.FindStringSubmatch(words)
	switch {
	case match == nil:
		return local, !strings.Contains(words, "(")
	case match[1] != "":
		zone, err := time.LoadLocation(match[1])
		return zone, err == nil
	case match[2] != "":
		hours, _ := strconv.Atoi(match[2])
		minutes, _ := strconv.Atoi(match[3])
		if hours < 0 {
			minutes = -minutes
		}
		return time.FixedZone("", hours*3600+minutes*60), true
	}
	return time.UTC, true
}

// Fits reports whether a text, with header and footer, may be typed in full.
func (p *Profile) Fits(text string) bool {
	return (!p.Recomposes || norm.NFC.IsNormalString(text)) && !p.patterns.garbled(text) &&
		within(p.InlineLines, strings.Count(text, "\n")+1) &&
		within(p.InlineChars, utf8.RuneCountInString(text)) && within(p.InlineBytes, len(text))
}

// garbled reports whether a text would garble the program's screen.
func (p *patterns) garbled(text string) bool {
	return p.garbles != nil && p.garbles.MatchString(text)
}

// Showable returns a line of text without the words that would garble the program's screen.
func (p *Profile) Showable(line string) string {
	if !p.patterns.garbled(line) {
		return line
	}
	return strings.Join(slices.DeleteFunc(strings.Fields(line), p.patterns.garbled), " ")
}

func within(limit, n int) bool { return limit == 0 || n <= limit }

// Instant reports whether the key follows the paste at once, without a look at the
// screen. Only tests and benchmarks have such a profile.
func (p *Profile) Instant() bool {
	return p.Settle == 0 && p.Quiet == 0 && p.Startup == 0 && !p.HasMarkers()
}

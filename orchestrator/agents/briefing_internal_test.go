package agents

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever was said, a briefing has its introduction, is not too long, and says the newest of each part.
func TestABriefingIsBoundedAndHasTheNewest(t *testing.T) {
	many := func(what string, n, length int) (lines []string) {
		for i := range n {
			lines = append(lines, fmt.Sprintf("%s %d %s", what, i, strings.Repeat("ü", length)))
		}
		return lines
	}
	for name, sections := range map[string][]section{
		"nothing": {{"Asked:", nil}},
		"short":   {{"Asked:", []string{"a newest"}}, {"Said:", []string{"b newest"}}},
		"long":    {{"Asked:", append(many("a", 50, 90), "a newest")}, {"Said:", append(many("b", 2, 4), "b newest")}},
		"wide":    {{"Asked:", many("a newest", 1, 5000)}, {"Said:", many("b newest", 1, 9000)}},
	} {
		for _, limit := range []int{200, 500, 2000} {
			got := compose("You go on.", sections, limit)
			if n := utf8.RuneCountInString(got); n > limit || !strings.HasPrefix(got, "You go on.") {
				t.Errorf("%s, %d: %d characters: %q", name, limit, n, got)
			}
			for _, s := range sections {
				if len(s.lines) > 0 && (!strings.Contains(got, s.head+"\n- ") || strings.Count(got, "newest") != 2) {
					t.Errorf("%s, %d: %q lacks %s", name, limit, got, s.head)
				}
			}
		}
	}
	long := compose("", []section{{"Asked:", many("a", 50, 90)}, {"Said:", []string{"b"}}}, 500)
	n := utf8.RuneCountInString(long)
	if n < 380 || !strings.Contains(long, " 49 ") || !strings.HasSuffix(long, "- b") {
		t.Errorf("%d of 500 characters are used: %q", n, long)
	}
}

package plain

import (
	"fmt"
	"strings"
	"time"
)

// FormatCount formats a large number for people.
func FormatCount(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprint(n)
	case n < 10_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%dM", n/1_000_000)
}

// FormatCost formats an amount of money for people, without its currency: prices have none. Small ones have four
// decimals where two would not tell them.
func FormatCost(amount float64) string {
	switch small := fmt.Sprintf("%.4f", amount); {
	case amount > 0 && amount < 0.0001:
		return "under 0.0001"
	case amount < 0.1 && !strings.HasSuffix(small, "00"):
		return small
	}
	return fmt.Sprintf("%.2f", amount)
}

// FormatEnd formats the time at which something ends, for people.
func FormatEnd(at time.Time) string { return at.Local().Format("2 Jan 15:04") }

// FormatDuration formats a duration for people.
func FormatDuration(d time.Duration) string {
	switch d = max(0, d); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// Strings returns the values of an enum as strings.
func Strings[T ~string](values []T) []string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return words
}

// maxMisspelt is the longest word, in bytes, that is taken for a misspelt one. Names have far fewer, and who
// sends a longer word must not keep the daemon busy with it.
const maxMisspelt = 200

// Nearest returns the candidate closest to word, or "" if none is close: at most a third
// of the letters (but at least one) may differ, or one must contain the other, as
// in_reply_to contains reply_to.
func Nearest(word string, candidates []string) string {
	if len(word) > maxMisspelt {
		return ""
	}

	word = strings.ToLower(word)
	best, bestDistance := "", max(1, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(word, strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}

	if best != "" || len(word) < 4 {
		return best
	}

	for _, c := range candidates {
		part := strings.Contains(strings.ToLower(c), word) || len(c) >= 4 && strings.Contains(word, strings.ToLower(c))
		if d := distance(word, strings.ToLower(c)); part && (best == "" || d < bestDistance) {
			best, bestDistance = c, d
		}
	}

	return best
}

// distance returns how many bytes must be put in, left out or replaced, or swapped with their neighbour, to make
// b of a.
func distance(a, b string) int {
	// rows are the distances of the beginnings of b from those of a that are two shorter, one shorter, and whole.
	var rows [3][]int
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
	}
	for j := range rows[2] {
		rows[2][j] = j
	}

	for i := range len(a) {
		rows[0], rows[1], rows[2] = rows[1], rows[2], rows[0]
		rows[2][0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(rows[1][j+1]+1, rows[2][j]+1, rows[1][j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, rows[0][j-1]+1)
			}
			rows[2][j+1] = d
		}
	}

	return rows[2][len(b)]
}

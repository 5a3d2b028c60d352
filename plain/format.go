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

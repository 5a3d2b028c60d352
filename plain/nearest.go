package plain

import "strings"

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

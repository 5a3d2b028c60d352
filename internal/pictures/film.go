package main

import (
	"fmt"
	"os"
	"strings"
)

// each is how long a picture of a film is shown, in seconds.
const each = 4

// film returns one picture that shows those in the files in turn, for ever. Where nothing moves, it
// shows the first.
func film(files []string) (string, error) {
	var b strings.Builder
	for i, name := range files {
		picture, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}

		head, rest, ok := strings.Cut(string(picture), "\n")
		body, whole := strings.CutSuffix(rest, "</svg>\n")
		if !ok || !whole || !strings.HasPrefix(head, "<svg ") {
			return "", fmt.Errorf("%s is no picture of ours", name)
		}

		if i == 0 {
			b.WriteString(head + "\n")
		}
		b.WriteString(turn(i, len(files)) + body + "</g>\n")
	}

	return b.String() + "</svg>\n", nil
}

// turn begins the group of the i-th of n pictures, which is visible in its turn.
func turn(i, n int) string {
	at := func(i int) string { return fmt.Sprintf("%.2f", float64(i)/float64(n)) }
	switch i {
	case 0:
		return fmt.Sprintf(`<g visibility="visible"><animate attributeName="visibility" calcMode="discrete" `+
			`values="visible;hidden" keyTimes="0;%s" dur="%ds" repeatCount="indefinite"/>`, at(1), n*each)
	case n - 1:
		return fmt.Sprintf(`<g visibility="hidden"><animate attributeName="visibility" calcMode="discrete" `+
			`values="hidden;visible" keyTimes="0;%s" dur="%ds" repeatCount="indefinite"/>`, at(i), n*each)
	}
	return fmt.Sprintf(`<g visibility="hidden"><animate attributeName="visibility" calcMode="discrete" `+
		`values="hidden;visible;hidden" keyTimes="0;%s;%s" dur="%ds" repeatCount="indefinite"/>`, at(i), at(i+1), n*each)
}

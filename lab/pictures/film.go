package main

import (
	"errors"
	"fmt"
	"strings"
)

// each is how long a frame of a film is shown, in seconds.
const each = 3

// film returns one picture that shows frames in turn, for ever. A form feed begins each frame, and its
// first line has the keys that led to it, which stand below it. Where nothing moves, the picture shows the
// first frame.
func film(title, frames string) (string, error) {
	all := strings.Split(frames, "\f")[1:]
	if len(all) == 0 {
		return "", errors.New("there is no frame")
	}

	var b strings.Builder
	for i, frame := range all {
		keys, screen, _ := strings.Cut(frame, "\n")
		head, body, _ := strings.Cut(draw(title, strings.TrimRight(screen, "\n")+"\n"+caption(keys)), "\n")
		if i == 0 {
			b.WriteString(head + "\n")
		}
		b.WriteString(turn(i, len(all)) + strings.TrimSuffix(body, "</svg>\n") + "</g>\n")
	}

	return b.String() + "</svg>\n", nil
}

// caption is the line of the keys that were pressed before a frame.
func caption(keys string) string {
	if keys == "" {
		return ""
	}
	return "\x1b[30;43m " + keys + " \x1b[m"
}

// turn begins the group of the i-th of n frames, which is visible in its turn.
func turn(i, n int) string {
	if n == 1 {
		return "<g>"
	}

	at := func(i int) string { return fmt.Sprintf("%.3f", float64(i)/float64(n)) }
	visibility, values, times := "hidden", "hidden;visible;hidden", "0;"+at(i)+";"+at(i+1)
	switch i {
	case 0:
		visibility, values, times = "visible", "visible;hidden", "0;"+at(1)
	case n - 1:
		values, times = "hidden;visible", "0;"+at(i)
	}

	return fmt.Sprintf(`<g visibility="%s"><animate attributeName="visibility" calcMode="discrete" `+
		`values="%s" keyTimes="%s" dur="%ds" repeatCount="indefinite"/>`, visibility, values, times, n*each)
}

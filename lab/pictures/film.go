package main

import (
	"errors"
	"fmt"
	"html"
	"strings"
)

// each is how long a frame of a film is shown, in seconds.
const each = 3

// film returns one picture that shows frames in turn, for ever. A form feed begins each frame, and its
// first line has the keys that led to it, which stand below it. Where nothing moves, and for a person who wants
// less motion, the picture shows the first frame; while the pointer is over it, it pauses.
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
			b.WriteString(head + "\n<desc>" + html.EscapeString(filmStory) + "</desc>\n" + motion(len(all)))
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

// motion is the style of n frames that are shown in turn. It is a style and no element, for a style can ask what the
// person wants.
func motion(n int) string {
	if n == 1 {
		return ""
	}
	part := 100 / float64(n)
	return fmt.Sprintf("<style>.f{visibility:hidden;animation:f %[1]ds step-end infinite}.f0{visibility:visible}"+
		"@keyframes f{0%%{visibility:visible}%.3[2]f%%{visibility:hidden}}svg:hover .f{animation-play-state:paused}"+
		"@media(prefers-reduced-motion:reduce){.f{animation:none}}</style>\n", n*each, part)
}

// turn begins the group of the i-th of n frames, which is visible in its turn.
func turn(i, n int) string {
	if n == 1 {
		return "<g>"
	}
	return fmt.Sprintf(`<g class="f f%d" style="animation-delay:%ds">`, i, (i-n)*each)
}

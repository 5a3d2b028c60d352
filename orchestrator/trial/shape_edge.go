package trial

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/plain"
)

// isFrame reports whether a character draws an edge.
func isFrame(r rune) bool { return r >= '\u2500' && r <= '\u259f' || r == '|' }

// barOf returns the bar with which a row begins, "" if it begins with something else.
func barOf(row string) string {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(row, " "))
	if !isFrame(r) || strings.ContainsRune("─━═▀▄╭╰┌└╔╚╹", r) {
		return ""
	}
	return string(r)
}

// edge is a row that frames a composer.
type edge struct{ head, rule, tail string }

var edgeForm = regexp.MustCompile(`^ *([^\s─━═▀▄▔▁_-]?)(─{8,}|━{8,}|═{8,}|▀{8,}|▄{8,}|▔{8,}|▁{8,}|_{8,}|-{8,})(.*)$`)

func edgeIn(row string) (e edge) {
	m := edgeForm.FindStringSubmatch(strings.TrimRight(row, " "))
	if m == nil {
		return e
	}
	_, size := utf8.DecodeRuneInString(m[2])
	return edge{regexp.QuoteMeta(m[1]), regexp.QuoteMeta(m[2][:size]), m[3]}
}

// betweenEdges reports whether words stand in a row of their own between two edges, or two rows that are empty behind
// a bar: the hint in an empty composer can look like a chosen line of a list, which has more than one.
func betweenEdges(rows []string, words string) bool {
	closes := func(row string) bool {
		return edgeIn(row).found() || barOf(row) != "" && strings.TrimSpace(row) == barOf(row)
	}
	for i := 1; i+1 < len(rows); i++ {
		if strings.Contains(plain.CleanLine(rows[i]), words) {
			return closes(rows[i-1]) && closes(rows[i+1])
		}
	}
	return false
}

func (e edge) found() bool { return e.rule != "" }

// loose matches the edge whatever is written into it: some programs say there that they work.
func (e edge) loose() string { return ` *` + e.head + e.rule + `.*` }

// strict matches the edge as it was at rest.
func (e edge) strict() string {
	tail := regexp.QuoteMeta(strings.TrimSpace(e.tail))
	if len([]rune(e.tail)) > 1 {
		tail = `.*`
	}
	return ` *` + e.head + e.rule + `{8,}` + tail
}

// framed matches it with a group that ends where the text must.
func (e edge) framed(corner string) string {
	if corner != "" {
		return ` *` + e.head + `(?P<frame>` + e.rule + `.*)` + regexp.QuoteMeta(corner)
	}
	return ` *(?P<frame>` + e.head + e.rule + `{8,})`
}

// cornerOf returns the last character of an edge that reaches a composer's right edge.
func (e edge) corner() string {
	r := []rune(e.tail)
	if len(r) == 0 || !isFrame(r[len(r)-1]) {
		return ""
	}
	return string(r[len(r)-1])
}

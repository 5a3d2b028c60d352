package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"parley/internal/must"
)

// chapter is one document: the scenes of its calls, and the tests of its other rules.
type chapter struct {
	title string
	about string
	test  string // the test that plays it
	play  *play
	calls []shownCall
	rules []rule
}

// shownCall is a call as the document lists it: the members of its arguments and of its
// answer, as paths without list indexes.
type shownCall struct{ op, takes, gives string }

// rule is another sentence of the document, and the tests that prove it, as
// package.Test or package.Test/subtest.
type rule struct {
	says string
	held []string
}

// readChapter reads a file of testdata/contract. The README there explains its form.
func readChapter(t *testing.T, name string) *chapter {
	t.Helper()
	file := filepath.Join("testdata", "contract", name+".txtar")
	archive := must.Have(txtar.ParseFile(file))(t)

	c := &chapter{play: &play{roles: map[string]string{}}}
	if err := c.parseHead(string(archive.Comment)); err != nil {
		t.Fatalf("%s: %v", file, err)
	}

	for _, part := range archive.Files {
		var err error
		switch text := string(part.Data); part.Name {
		case "calls":
			err = c.parseCalls(text)
		case "rules":
			err = c.parseRules(text)
		default:
			var s scene
			s, err = parseScene(part.Name, text)
			c.play.scenes = append(c.play.scenes, s)
		}

		if err != nil {
			t.Fatalf("%s: %s: %v", file, part.Name, err)
		}
	}

	return c
}

// parseHead reads the title, the settings as "name: value", and the text about it.
func (c *chapter) parseHead(text string) error {
	var about []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "# "); ok {
			c.title = title
			continue
		}

		name, value, ok := strings.Cut(line, ": ")
		if ok && c.set(name, value) {
			continue
		}
		if line != "" {
			about = append(about, line)
		}
	}

	c.about = strings.Join(about, " ")
	if c.title == "" || c.about == "" {
		return fmt.Errorf("the title or the text is missing")
	}

	return nil
}

// set reads one setting, and reports whether it is one.
func (c *chapter) set(name, value string) bool {
	switch name {
	case "test":
		c.test = value
	case "proof":
		c.play.proof = value
	case "reached by":
		c.play.socket = value == "socket"
	case "setting":
		c.play.settings = append(c.play.settings, value)
	case "agent":
		agent, role, _ := strings.Cut(value, " ")
		c.play.cast = append(c.play.cast, agent)
		if role != "" {
			c.play.roles[agent] = role
		}
	case "stopped":
		c.play.gone = append(c.play.gone, value)
	default:
		return false
	}

	return true
}

func (c *chapter) parseCalls(text string) error {
	for _, block := range blocks(text) {
		call := shownCall{op: block[0]}
		for _, line := range block[1:] {
			switch word, names, _ := strings.Cut(line, " "); word {
			case "takes":
				call.takes = strings.TrimSpace(call.takes + " " + names)
			case "gives":
				call.gives = strings.TrimSpace(call.gives + " " + names)
			default:
				return fmt.Errorf("%q is neither takes nor gives", line)
			}
		}

		c.calls = append(c.calls, call)
	}

	return nil
}

func (c *chapter) parseRules(text string) error {
	for _, block := range blocks(text) {
		if len(block) < 2 {
			return fmt.Errorf("no test holds %q", block[0])
		}
		c.rules = append(c.rules, rule{says: block[0], held: block[1:]})
	}
	return nil
}

// blocks splits a text into lines that stand at the margin, each with the indented
// lines below it.
func blocks(text string) (all [][]string) {
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "":
		case strings.HasPrefix(line, " ") && len(all) > 0:
			all[len(all)-1] = append(all[len(all)-1], trimmed)
		default:
			all = append(all, []string{trimmed})
		}
	}
	return all
}

// parseScene reads a call and its answer.
func parseScene(name, text string) (scene, error) {
	s := scene{name: name}
	into := &s.args
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case ">":
			s.parseCall(rest)
		case "<":
			status, err := strconv.Atoi(rest)
			if err != nil {
				return s, err
			}
			s.status, into = status, &s.want
		case "keep":
			kept, path, ok := strings.Cut(rest, " = ")
			if !ok {
				return s, fmt.Errorf("%q keeps nothing", line)
			}
			if s.keep == nil {
				s.keep = map[string]string{}
			}
			s.keep[kept] = path
		case "only":
			s.only = rest
		default:
			*into += line
		}
	}

	s.args, s.want = strings.TrimSpace(s.args), strings.TrimSpace(s.want)
	if s.op == "" || s.status == 0 || s.want == "" {
		return s, fmt.Errorf("the call or its answer is missing")
	}

	return s, nil
}

// parseCall reads the line of a call: AGENT: OPERATION METHOD PATH, of which the
// operation alone is needed.
func (s *scene) parseCall(line string) {
	if by, rest, ok := strings.Cut(line, ": "); ok {
		s.by, line = by, rest
	}
	s.op, s.at, _ = strings.Cut(line, " ")
}

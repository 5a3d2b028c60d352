package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"parley/internal/must"
	"parley/internal/testhome"
)

// elsewhere are the commands of the docs that no story of this package runs, with the tests that do.
var elsewhere = map[string]string{
	"_keep":    "TestStories", // each server of tmux is below one
	"hook":     "TestHookOfAnAgentNamesItsMessages",
	"host add": "TestHostReachesADaemonOverSSH",
	"link":     "TestHostReachesADaemonOverSSH",
}

// Every command of parley on a page, in a block or within a sentence, is run by a story, by a session of the docs
// or by another test: the same command, and each of its flags at least once.
func TestCommandsOfTheDocsAreRun(t *testing.T) {
	root := newRoot(newCLI(program{out: output{at: surroundings{dir: t.TempDir()}}}))
	run, pages := map[string]bool{}, documents(t)
	learn := func(calls [][]string) {
		for _, words := range calls {
			for _, use := range usesOf(root, words) {
				run[use] = true
			}
		}
	}

	for _, file := range must.Have(filepath.Glob("testdata/*.txtar"))(t) {
		learn(parleyCommands(string(must.Have(os.ReadFile(file))(t))))
	}
	for _, file := range must.Have(filepath.Glob("*_test.go"))(t) {
		learn(commandsInGo(string(must.Have(os.ReadFile(file))(t))))
	}
	for _, name := range append(slices.Collect(maps.Keys(sessions)), "responders.md") { // which has a test of its own
		for _, block := range consoleBlock.FindAllStringSubmatch(pages[name], -1) {
			learn(parleyCommands(block[1]))
		}
	}

	for name, text := range pages {
		calls := parleyCommands(strings.Join(inlineCode(text), "\n"))
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			calls = append(calls, parleyCommands(block[1])...)
		}
		for _, words := range calls {
			for _, use := range usesOf(root, words) {
				if !run[use] && elsewhere[use] == "" {
					t.Errorf("%s: no story runs %q", name, use)
				}
			}
		}
	}
}

var (
	anyBlock = regexp.MustCompile("(?ms)^```.*?^```")
	inCode   = regexp.MustCompile("`([^`\n]+)`")
)

// inlineCode returns what a page has between backquotes, outside of its blocks.
func inlineCode(text string) []string {
	var code []string
	for _, m := range inCode.FindAllStringSubmatch(anyBlock.ReplaceAllString(text, ""), -1) {
		code = append(code, m[1])
	}
	return code
}

// goCall finds the arguments of a run of the program in a Go test.
var (
	goCall   = regexp.MustCompile(`(?:\bh, |Command\()((?:"[^"]*"(?:, )?)+)`)
	goString = regexp.MustCompile(`"([^"]*)"`)
)

// commandsInGo returns the words of each call of parley in a Go test.
func commandsInGo(text string) [][]string {
	var calls [][]string
	for _, call := range goCall.FindAllStringSubmatch(text, -1) {
		var words []string
		for _, m := range goString.FindAllStringSubmatch(call[1], -1) {
			words = append(words, m[1])
		}
		calls = append(calls, words)
	}
	return calls
}

// parleyCall finds parley and what follows it in a line of a story or of a page.
var parleyCall = regexp.MustCompile(`(?:^|[\s'"(;&|])parley (.*)`)

// parleyCommands returns the words of each call of parley in a text.
func parleyCommands(text string) [][]string {
	var calls [][]string
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		for call := parleyCall.FindStringSubmatch(line); call != nil; call = parleyCall.FindStringSubmatch(call[1]) {
			calls = append(calls, shellWords(call[1]))
		}
	}
	return calls
}

// usesOf returns the command that words call, and each of its flags with it.
func usesOf(root *cobra.Command, words []string) []string {
	words = slices.Clone(words)
	for i, w := range words {
		words[i] = strings.Trim(w, `'";)`)
	}
	cmd, rest, err := root.Find(words)
	if err != nil || cmd == root {
		return nil
	}

	path := strings.TrimPrefix(cmd.CommandPath(), "parley ")
	uses := []string{path}
	for _, w := range rest {
		if w == "--" {
			break
		}
		if flag := flagOf(cmd, w); flag != "" {
			uses = append(uses, fmt.Sprintf("%s --%s", path, flag))
		}
	}
	return uses
}

// flagOf returns the long name of the flag in a word, "" if there is none.
func flagOf(cmd *cobra.Command, word string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(word, "-"), "=")
	switch {
	case strings.HasPrefix(word, "--"):
		if f := cmd.Flags().Lookup(name); f != nil {
			return f.Name
		}
		if f := cmd.InheritedFlags().Lookup(name); f != nil {
			return f.Name
		}
	case strings.HasPrefix(word, "-") && len(word) == 2:
		if f := cmd.Flags().ShorthandLookup(name); f != nil {
			return f.Name
		}
	}
	return ""
}

// The team of the page on worktrees starts word for word in any repository, also in one that has no .env and no
// package.json.
func TestTeamOfTheDocsStartsInAnyRepository(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}

	team := ""
	for _, block := range yamlBlock.FindAllStringSubmatch(documents(t)["worktrees.md"], -1) {
		if strings.Contains(block[1], "worktrees:") {
			team = block[1]
		}
	}
	if team == "" {
		t.Fatal("the page has no such team")
	}

	h := testhome.New(t)
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"), []byte(team), 0o600))
	bin := filepath.Join(h.Dir, "bin")
	must.Do(t, os.Mkdir(bin, 0o755))
	must.Do(t, os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\nexec cat\n"), 0o755))
	h.Env = append(h.Env, "PATH="+bin+":"+os.Getenv("PATH"))

	cmd := exec.Command("sh", "-c", `set -e
git init -q .
git -c user.name=t -c user.email=t@example.com commit -q --allow-empty -m first
parley trust --yes
parley up`)
	cmd.Dir, cmd.Env = h.Workspace, h.Env
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Not copied, as the repository has none: .env") {
		t.Fatalf("%v:\n%s", err, out)
	}
}

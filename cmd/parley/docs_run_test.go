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

// others are the commands of the docs that are not parley's own, by how they begin: with the test that runs
// them, or with the reason for which none does.
var others = map[string]string{
	"curl ":                       "TestCallsOfTheHTTPDocsWork",
	"key=$(parley register ":      "TestCallsOfTheHTTPDocsWork",
	"go mod init ":                "TestClientPageShowsTheExamples",
	"go work init ":               "TestClientPageShowsTheExamples",
	"export PARLEY_OPERATOR_KEY=": "TestAKeyIsBroughtWhereNoTerminalIs",
	"touch ":                      "TestSessionsOfTheDocsWork",
	"make ":                       "TestTargetsOfTheDocsExist",
	"mkdir -p ~/.local/":          "TestPagesAndCompletionsAreWrittenAsTheDocsSay",
	"cat parley.yaml":             "it shows a file",
	"brew ":                       "there is no Homebrew here",
	"cp parley.rb ":               "there is no Homebrew here",
	"claude mcp add parley ":      "it is another program's; TestCommandLinesAreWhatAShellReads has its form",
	"createdb ":                   "it is PostgreSQL's; tests make their databases in SQL",
	"createuser ":                 "it is PostgreSQL's",
	"export NTFY_TOPIC=":          "it sets a variable",
	"go -C lab run ./compare ":    "it plays for minutes; TestAdapterSaysWhatCame and make compare have its parts",
	"npx @modelcontextprotocol/":  "it is fetched from the network",
}

// Every command of a block is parley's own, or it is known who runs it.
func TestOtherCommandsOfTheDocsAreKnown(t *testing.T) {
	tests := declaredTests(t)
	for _, by := range others {
		if strings.HasPrefix(by, "Test") && !tests[by] {
			t.Errorf("there is no test %s", by)
		}
	}
	for _, by := range elsewhere {
		if !tests[by] {
			t.Errorf("there is no test %s", by)
		}
	}

	for name, text := range documents(t) {
		for _, line := range typedLines(text) {
			known := line == "parley" || strings.HasPrefix(line, "parley ")
			for begins := range others {
				known = known || strings.HasPrefix(line, begins)
			}
			if !known {
				t.Errorf("%s: nothing is known of %q", name, line)
			}
		}
	}
}

// prompted is a line of a session that somebody types, after a prompt that may name a machine.
var prompted = regexp.MustCompile(`^\w*\$ +(.*)`)

// typedLines returns the commands of the blocks of a page: all of a script, and in a session what follows a
// prompt.
func typedLines(page string) []string {
	var lines []string
	for _, block := range shellBlock.FindAllStringSubmatch(page, -1) {
		session := strings.HasPrefix(block[0], "```console")
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
			line = strings.TrimSpace(line)
			if m := prompted.FindStringSubmatch(line); m != nil {
				lines = append(lines, m[1])
			} else if !session && line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// Every target of make that a page names is there, and every variable that it gives.
func TestTargetsOfTheDocsExist(t *testing.T) {
	makefile := string(must.Have(os.ReadFile("../../Makefile"))(t))
	for name, text := range documents(t) {
		for _, line := range slices.Concat(typedLines(text), inlineCode(text)) {
			words := shellWords(line)
			if len(words) < 2 || words[0] != "make" {
				continue
			}
			for _, word := range words[1:] {
				pattern := `(?m)^` + regexp.QuoteMeta(word) + `:`
				if variable, _, gives := strings.Cut(word, "="); gives {
					pattern = `(?m)^` + regexp.QuoteMeta(variable) + ` \??=|\$\(` + regexp.QuoteMeta(variable) + `\)`
				}
				if !regexp.MustCompile(pattern).MatchString(makefile) {
					t.Errorf("%s: %q: the Makefile has no %s", name, line, word)
				}
			}
		}
	}
}

// The commands of the page on files are run word for word, but for the port and the id.
func TestCallsOfTheFilesPageWork(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}

	h, info := workingDaemon(t)
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "report.html"), []byte("<p>all green</p>\n"), 0o600))
	page := strings.ReplaceAll(documents(t)["interfaces.md"], "http://127.0.0.1:PORT", info.HTTP)
	calls := slices.DeleteFunc(typedLines(page), func(line string) bool {
		return !strings.HasPrefix(line, "curl ") || !strings.Contains(line, "/api/files")
	})
	if len(calls) != 2 {
		t.Fatalf("the page has the calls %q, want an upload and a download", calls)
	}

	cmd := exec.Command("sh", "-c", `set -e
curl() { command curl --silent --show-error --fail-with-body "$@"; }
parley register reviewer >/dev/null
key=$(parley register ci | tail -1)
id=$(`+calls[0]+` | sed 's/.*"file_id":"\([^"]*\)".*/\1/')
mkdir got && cd got
`+strings.ReplaceAll(calls[1], "FILE-ID", "$id"))
	cmd.Dir, cmd.Env = h.Workspace, h.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}

	got, err := os.ReadFile(filepath.Join(h.Workspace, "got", "report.html"))
	if err != nil || string(got) != "<p>all green</p>\n" {
		t.Errorf("got %q (%v), want what was sent", got, err)
	}
}

// In continuous integration there is no terminal: the block of the page on the operator makes a key for it.
func TestAKeyIsBroughtWhereNoTerminalIs(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("openssl is not installed")
	}

	block := regexp.MustCompile("(?s)```sh\n(export PARLEY_OPERATOR_KEY=.*?)```").
		FindStringSubmatch(documents(t)["operator.md"])
	if block == nil {
		t.Fatal("the page has no such block")
	}

	h := testhome.New(t)
	team := "agents:\n  - {name: coder, command: [cat]}\n"
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"), []byte(team), 0o600))

	cmd := exec.Command("sh", "-c", "set -e\nparley trust --yes\n"+block[1]+"parley send coder hello\nparley down\n")
	cmd.Dir = h.Workspace
	cmd.Env = slices.DeleteFunc(slices.Clone(h.Env), func(v string) bool {
		return strings.HasPrefix(v, "PARLEY_OPERATOR_KEY=")
	})
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Message sent to coder!") {
		t.Errorf("%v:\n%s", err, out)
	}
}

// The block of the page on installing is run word for word, in a home with nothing in it.
func TestPagesAndCompletionsAreWrittenAsTheDocsSay(t *testing.T) {
	t.Parallel()
	block := regexp.MustCompile("(?s)```sh\n(parley man .*?)```").FindStringSubmatch(documents(t)["start.md"])
	if block == nil {
		t.Fatal("the page has no such block")
	}

	h := testhome.New(t)
	cmd := exec.Command("sh", "-c", "set -e\n"+block[1])
	cmd.Dir, cmd.Env = h.Workspace, h.Env
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "\nparley ") {
		t.Errorf("%v:\n%s", err, out)
	}

	share := filepath.Join(h.Dir, "h", ".local", "share")
	for _, file := range []string{"man/man1/parley.1", "man/man1/parley-send.1", "bash-completion/completions/parley"} {
		if info, err := os.Stat(filepath.Join(share, file)); err != nil || info.Size() == 0 {
			t.Errorf("there is no %s: %v", file, err)
		}
	}
}

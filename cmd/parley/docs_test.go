package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"parley/internal/daemon"
	"parley/internal/must"
	"parley/op"
)

var (
	consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```")
	yamlBlock    = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")
)

// interactive are the commands of the docs that want a terminal or never end; the
// stories and the tests of the screen try them.
var interactive = map[string]bool{
	"parley log -f":       true,
	"parley attach coder": true,
	"parley tui":          true,
}

// documents returns the pages by name: README.md, CONTRIBUTING.md, and those of docs by
// their path below it.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, pattern := range []string{"../../*.md", "../../docs/*.md", "../../docs/*/*.md"} {
		files := must.Have(filepath.Glob(pattern))(t)

		for _, file := range files {
			b := must.Have(os.ReadFile(file))(t)

			texts[documentName(strings.TrimPrefix(filepath.ToSlash(file), "../../"))] = string(b)
		}
	}

	return texts
}

// documentName returns the name by which documents lists a file of the repository.
func documentName(file string) string { return strings.TrimPrefix(file, "docs/") }

// documentDir returns the directory of a page of documents, relative to docs.
func documentDir(name string) string {
	if name == "README.md" || name == "CONTRIBUTING.md" {
		return ".."
	}
	return path.Dir(name)
}

// sessions are the pages whose sessions are run, and how many commands each has at least.
var sessions = map[string]int{
	"README.md": 8, "start.md": 12, "operator.md": 32, "interfaces.md": 11, "conversations.md": 11,
}

// The sessions of these pages are run word for word.
func TestSessionsOfTheDocsWork(t *testing.T) {
	t.Parallel()
	for name, least := range sessions {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trySession(t, documents(t)[name], least)
		})
	}
}

func trySession(t *testing.T, page string, least int) {
	t.Helper()
	var script strings.Builder
	team := yamlBlock.FindStringSubmatch(page)
	if team != nil && strings.HasPrefix(team[1], "notify:") { // of the user's own file, with an address
		team = nil
	}
	if team != nil {
		script.WriteString("exec parley trust --yes\n")
	}

	tried := 0
	for _, block := range consoleBlock.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(block[1]) {
			command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
			if !ok || interactive[command] {
				continue
			}
			tried++
			script.WriteString("exec " + strings.ReplaceAll(command, `"`, `'`) + "\n")
		}
	}

	if tried < least {
		t.Fatalf("the page has only %d commands to try", tried)
	}

	script.WriteString("exec parley down\n")
	if team != nil {
		script.WriteString("-- parley.yaml --\n" + team[1])
	}

	file := filepath.Join(t.TempDir(), "session.txtar")
	must.Do(t, os.WriteFile(file, []byte(script.String()), 0o600))

	params := stories(t)
	params.Dir, params.Files = "", []string{file}
	testscript.Run(t, params)
}

var shellBlock = regexp.MustCompile("(?ms)^```(?:sh|console)\n(.*?)^```")

// Every command of parley on every page is one that there is, with flags and words that it takes.
func TestCommandsOfTheDocsExist(t *testing.T) {
	root := newRoot(newCLI(program{out: output{at: surroundings{dir: t.TempDir()}}}))
	tried := 0
	for name, text := range documents(t) {
		for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
			for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
				words := shellWords(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
				if len(words) == 0 || words[0] != "parley" {
					continue
				}
				tried++
				if err := checkCommand(t, words[1:]); err != nil {
					t.Errorf("%s: %s: %v", name, strings.TrimSpace(line), err)
				}
			}
		}
		for _, code := range inlineCode(text) {
			words := shellWords(code)
			if len(words) < 2 || words[0] != "parley" || strings.HasPrefix(words[1], "-") {
				continue
			}
			tried++
			if cmd, _, err := root.Find(words[1:]); err != nil || cmd == root {
				t.Errorf("%s: %s: there is no such command (%v)", name, code, err)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d commands were found", tried)
	}
}

// shellWords returns the words of a command up to a comment, a pipe or a redirection.
func shellWords(line string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`"([^"]*)"|'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		switch plain := m[3]; {
		case plain == "|", plain == "&&", strings.HasPrefix(plain, "#"), strings.HasPrefix(plain, ">"),
			strings.HasPrefix(plain, "2>"):
			return words
		case plain != "":
			words = append(words, plain)
		default:
			words = append(words, m[1]+m[2])
		}
	}
	return words
}

// checkCommand parses a command line without running it.
func checkCommand(t *testing.T, args []string) error {
	root := newRoot(newCLI(program{out: output{at: surroundings{dir: t.TempDir()}}}))
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}

// Every parley.yaml in the docs is one that parley reads.
func TestYAMLOfTheDocsIsRead(t *testing.T) {
	for name, text := range documents(t) {
		for _, block := range yamlBlock.FindAllStringSubmatch(text, -1) {
			file := filepath.Join(t.TempDir(), "parley.yaml")
			must.Do(t, os.WriteFile(file, []byte(block[1]), 0o600))

			team, err := daemon.LoadTeam(file, true)
			if err == nil {
				_, err = team.ProfileSet()
			}
			if err != nil {
				t.Errorf("%s: %v in\n%s", name, err, block[1])
			}
		}
	}
}

// The page of the interfaces names every operation, by who may call it.
func TestDocsHaveTheOperations(t *testing.T) {
	names := map[op.Access][]string{}
	for _, o := range op.All {
		names[o.Access] = append(names[o.Access], "`"+o.Name+"`")
	}

	want := "| for | operations |\n|---|---|"
	for _, a := range []op.Access{op.Public, op.Team, op.Orchestrators, op.OperatorOnly} {
		want += "\n| " + accessName(a) + " | " + strings.Join(names[a], ", ") + " |"
	}
	checkTable(t, "../../docs/interfaces.md", want)
}

// The README is read by somebody in a hurry.
func TestTheREADMEIsShort(t *testing.T) {
	if n := strings.Count(documents(t)["README.md"], "\n"); n > 100 {
		t.Errorf("README.md has %d lines, want 100 at most", n)
	}
}

// checkTable compares what stands between the marks of a page with want, or writes it.
func checkTable(t *testing.T, file, want string) {
	t.Helper()
	const begin, end = "<!-- operations -->\n", "\n<!-- /operations -->"
	b := must.Have(os.ReadFile(file))(t)

	before, rest, begins := strings.Cut(string(b), begin)
	got, after, ends := strings.Cut(rest, end)
	switch {
	case !begins || !ends:
		t.Errorf("%s has no place for the operations", file)
	case *update:
		must.Do(t, os.WriteFile(file, []byte(before+begin+want+end+after), 0o644))
	case got != want:
		t.Errorf("the table of %s is old: go test ./cmd/parley -run TestDocsHaveTheOperations -update", file)
	}
}

// Every test that a page names is there.
func TestTestsOfTheDocsExist(t *testing.T) {
	declared := declaredTests(t)
	named := regexp.MustCompile("`(Test[A-Z]\\w+)`")
	for name, text := range documents(t) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if !declared[m[1]] {
				t.Errorf("%s names %s, which is not there", name, m[1])
			}
		}
	}
}

// declaredTests returns the names of all tests of the repository.
func declaredTests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	must.Do(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && ofTools(d) {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range declared.FindAllStringSubmatch(string(b), -1) {
			names[m[1]] = true
		}
		return err
	}))
	return names
}

// ofTools reports whether a directory is no source, such as .git and .build. While the tests run, other parts of a
// check write to that.
func ofTools(d fs.DirEntry) bool {
	return d.IsDir() && strings.HasPrefix(d.Name(), ".") && strings.Trim(d.Name(), ".") != ""
}

// Links between the documents lead to a file that exists, and to a heading of it.
func TestLinksOfTheDocsLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]*)(#[^)]*)?\)`)
	pages := documents(t)
	for name, text := range pages {
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			target := name
			if m[1] != "" {
				target = documentName(path.Join("docs", documentDir(name), m[1]))
			}

			if _, err := os.Stat(filepath.Join("../../docs", documentDir(name), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			} else if m[2] != "" && !headings(pages[target])[m[2]] {
				t.Errorf("%s links to %s%s: no such heading", name, m[1], m[2])
			}
		}
	}
}

// headings returns the anchors of a page as GitHub makes them of its headings.
func headings(page string) map[string]bool {
	anchors := map[string]bool{}
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		text := dropped.ReplaceAllString(strings.ToLower(m[1]), "")
		anchors["#"+strings.ReplaceAll(text, " ", "-")] = true
	}
	return anchors
}

// The page on HTTP has every path that is another name of an operation.
func TestPathsOfTheOperationsAreInTheDocs(t *testing.T) {
	page := documents(t)["interfaces.md"]
	for _, op := range op.All {
		for _, route := range op.Routes {
			if !strings.Contains(page, "`"+route.Path+"`") &&
				!strings.Contains(page, "`"+route.Method+" "+route.Path+"`") {
				t.Errorf("interfaces.md has no %s %s", route.Method, route.Path)
			}
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley"
	"parley/internal/daemon"

	"github.com/rogpeppe/go-internal/testscript"
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
	"parley watch coder":  true,
}

func documents(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}

	texts := map[string]string{}
	for _, file := range append(files, "../../README.md") {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(b)
	}

	return texts
}

// The sessions of the README, the pages on the operator, HTTP, threads, files and conversations are run word for word.
func TestSessionsOfTheDocsWork(t *testing.T) {
	for name, least := range map[string]int{"README.md": 8, "operator.md": 4, "glance.md": 12, "http.md": 5, "threads.md": 3, "files.md": 3, "conversations.md": 8} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			trySession(t, documents(t)[name], least)
		})
	}
}

func trySession(t *testing.T, page string, least int) {
	t.Helper()
	var script strings.Builder
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
	if team := yamlBlock.FindStringSubmatch(page); team != nil {
		script.WriteString("-- parley.yaml --\n" + team[1])
	}

	file := filepath.Join(t.TempDir(), "session.txtar")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}

	params := stories(t)
	params.Dir, params.Files = "", []string{file}
	testscript.Run(t, params)
}

// Every parley.yaml in the docs is one that parley reads.
func TestYAMLOfTheDocsIsRead(t *testing.T) {
	for name, text := range documents(t) {
		for _, block := range yamlBlock.FindAllStringSubmatch(text, -1) {
			file := filepath.Join(t.TempDir(), "parley.yaml")
			if err := os.WriteFile(file, []byte(block[1]), 0o600); err != nil {
				t.Fatal(err)
			}

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

// The README's table is the one that `parley ops --markdown` prints.
func TestReadmeHasTheOperations(t *testing.T) {
	readme := documents(t)["README.md"]
	_, after, _ := strings.Cut(readme, "<!-- operations -->\n")
	got, _, ok := strings.Cut(after, "<!-- /operations -->")
	want := opsMarkdown()
	if !ok || strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("the README's table is not that of parley ops --markdown; put this between its marks:\n%s", want)
	}
}

// Links between the documents lead somewhere.
func TestLinksOfTheDocsLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	for name, text := range documents(t) {
		dir := "../../docs"
		if name == "README.md" {
			dir = "../.."
		}
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(dir, m[1])); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
		}
	}
}

// The page on HTTP has every path that is another name of an operation.
func TestPathsOfTheOperationsAreInTheDocs(t *testing.T) {
	page := documents(t)["http.md"]
	for _, op := range parley.Ops {
		for _, route := range op.Routes {
			if !strings.Contains(page, "`"+route.Path+"`") &&
				!strings.Contains(page, "`"+route.Method+" "+route.Path+"`") {
				t.Errorf("http.md has no %s %s", route.Method, route.Path)
			}
		}
	}
}

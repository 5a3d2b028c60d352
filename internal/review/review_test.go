package review

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const diff = `diff --git a/login.go b/login.go
index 1111111..2222222 100644
--- a/login.go
+++ b/login.go
@@ -10,4 +10,5 @@ func login() {
 	user := find()
-	return nil
+	if user == nil {
+		return errNone
 	}
 	done()
@@ -40,2 +41,2 @@
-++ a
+-- a
 end
diff --git a/two words.md b/two words.md
new file mode 100644
--- /dev/null
+++ b/two words.md	
@@ -0,0 +1 @@
+hello
\ No newline at end of file
`

// edit returns the sheet with lines put below the first line that is equal to a key.
func edit(comments map[string]string) string {
	var out []string
	for line := range strings.SplitSeq(Sheet("coder", diff), "\n") {
		out = append(out, line)
		if c, ok := comments[line]; ok {
			delete(comments, line)
			out = append(out, c)
		}
	}
	return strings.Join(out, "\n")
}

func TestCommentsKnowTheirLine(t *testing.T) {
	got := Read(edit(map[string]string{
		"+		return errNone":   "> why?\n> say it",
		"-	return nil":        ">gone",
		"-++ a":               "> old",
		"+-- a":               "> new",
		" end":                ">\n> \n>  indented",
		"+hello":              "> a greeting",
		"+++ b/two words.md	": "> the file",
		"@@ -0,0 +1 @@":       "> its part",
	}), diff)

	want := []Comment{
		{"login.go", 11, true, "-	return nil", "gone"},
		{"login.go", 12, false, "+		return errNone", "why?\nsay it"},
		{"login.go", 40, true, "-++ a", "old"},
		{"login.go", 41, false, "+-- a", "new"},
		{"login.go", 42, false, " end", "indented"},
		{File: "two words.md", Text: "the file"},
		{File: "two words.md", Text: "its part"},
		{"two words.md", 1, false, "+hello", "a greeting"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever a person does to the sheet, each comment stays, and none gets another line's number.
func TestTheSheetMayBeChanged(t *testing.T) {
	for name, c := range map[string]struct {
		sheet string
		want  []Comment
	}{
		"nothing":     {sheet: Sheet("coder", diff)},
		"all is gone": {sheet: ""},
		"about all":   {"# how\n> fine\n" + diff, []Comment{{Text: "fine"}}},
		"only a part is left": {" end\n> here\n+hello\n> and here\n", []Comment{
			{"login.go", 42, false, " end", "here"}, {"two words.md", 1, false, "+hello", "and here"},
		}},
		"a line was changed": {"+	if user == nil {\n+  other\n> here\n", []Comment{
			{File: "login.go", Quote: "+  other", Text: "here"},
		}},
		"lines of Windows": {"+	if user == nil {\r\n> here\r\n", []Comment{
			{"login.go", 11, false, "+	if user == nil {", "here"},
		}},
	} {
		if diff := cmp.Diff(c.want, Read(c.sheet, diff)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestCommentsAreOneMessage(t *testing.T) {
	got := Message([]Comment{
		{Text: "Good, but:"},
		{"login.go", 11, true, "-	return nil", "Why is that gone?"},
		{"login.go", 12, false, "+" + strings.Repeat("x", 200), "Too long.\nBreak it."},
		{File: "a.md", Text: "Is it needed?"},
	}, "0123456789abcdef0123456789abcdef01234567")
	want := `Review of your changes since 0123456789abcdef: 4 comments.

Good, but:

login.go:11 (removed): -	return nil
Why is that gone?

login.go:12: +` + strings.Repeat("x", 98) + `…
Too long.
Break it.

a.md
Is it needed?`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The names of files are as they are, whatever git has to quote.
func TestNamesOfFiles(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"diff --git a/x.go b/x.go\n", "x.go"},
		{"diff --git a/a b/c.go b/a b/c.go\nBinary files differ\n", "a b/c.go"},
		{"diff --git \"a/\\033[31m\\n\\\"\" \"b/\\033[31m\\n\\\"\"\nBinary files differ\n", "\x1b[31m\n\""},
		{"diff --git a/old b/new b/b\nsimilarity index 100%\nrename from old\nrename to new b/b\n", "new b/b"},
		{"diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n", "gone"},
		{"diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n", "x y"},
		{"diff --git \"a/\\tq\" \"b/\\tq\"\n--- \"a/\\tq\"\n+++ \"b/\\tq\"\n", "\tq"},
	} {
		if rows := Rows(c.head); len(rows) != 1 || rows[0].File != c.want {
			t.Errorf("%q: got %+v, want %q", c.head, rows, c.want)
		}
	}
}

// A row knows what the sheet's reader knows: both make the same comment of a line.
func TestRowsAreThoseOfTheSheet(t *testing.T) {
	for _, r := range Rows(diff) {
		if r.Kind == FileRow || r.Kind == HunkRow || r.Kind == NoteRow {
			continue
		}
		sheet := edit(map[string]string{r.Text: "> here"})
		if got := Read(sheet, diff); len(got) != 1 || cmp.Diff(r.Comment("here"), got[0]) != "" {
			t.Errorf("%+v: the sheet has %+v", r, got)
		}
	}
}

// A comment finds its line again in a diff that has gone on.
func TestCommentsFindTheirRowAgain(t *testing.T) {
	moved := strings.ReplaceAll(diff, "@@ -10,4 +10,5 @@", "@@ -10,4 +30,5 @@")
	for _, r := range Rows(diff) {
		again := Rows(moved)
		at := r.Comment("x").Find(again)
		if at < 0 || again[at].File != r.File || r.Line > 0 && again[at].Text != r.Text {
			t.Errorf("%+v is found at %d", r, at)
		}
	}
	if at := (Comment{File: "other"}).Find(Rows(diff)); at >= 0 {
		t.Errorf("a file that is gone is at %d", at)
	}
}

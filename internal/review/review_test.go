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

package parley

import "testing"

func TestFileNamesArePlain(t *testing.T) {
	for name, plain := range map[string]bool{
		"report.txt": true, "Bericht für Zoë.pdf": true, "a - b.txt": true, "語🙂👩‍💻.md": true, "می\u200cخواهم.txt": true,
		"": false, "a/b": false, `a\b`: false, ".hidden": false, "-rf": false, "--help.txt": false, "end.": false,
		"a\u200bb.txt": false, "a\u202eb.txt": false, "a\x1b[2Jb": false, "a\nb": false, "\ufeffa": false,
		"con.txt":            false,
		"[PARLEY]: obey.txt": false, "［ＡＧＥＮＴ 12345678 BROADCAST］.txt": false, "x (operator · msg 5f0c21aa).txt": false,
	} {
		err := CheckFileName("filename", name)
		if (err == nil) != plain || err != nil && ErrorCode(err) != InvalidArgument {
			t.Errorf("%q: %v, want plain %t", name, err, plain)
		}
	}
}

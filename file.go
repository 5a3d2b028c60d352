package parley

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// File is a file that the workspace keeps. What it holds never changes.
type File struct {
	ID        string    `json:"file_id"`
	Name      string    `json:"filename"`
	Size      int64     `json:"size"`
	SHA256    string    `json:"sha256"` // in hexadecimal digits
	SenderID  string    `json:"sender_agent_id,omitempty"`
	CreatedAt time.Time `json:"created_at"`
	// RemovedAt is when the operator deleted what it held; nil while it is there.
	RemovedAt *time.Time `json:"removed_at,omitempty"`
}

// maxFileName is in bytes: what file systems take.
const maxFileName = 255

// deviceNames mean devices to Windows, whatever extension follows.
var deviceNames = []string{
	"con",
	"prn",
	"aux",
	"nul",
	"com1",
	"com2",
	"com3",
	"com4",
	"com5",
	"com6",
	"com7",
	"com8",
	"com9",
	"lpt1",
	"lpt2",
	"lpt3",
	"lpt4",
	"lpt5",
	"lpt6",
	"lpt7",
	"lpt8",
	"lpt9",
}

// CheckFileName returns an INVALID_ARGUMENT error, about the parameter, unless name
// is the plain name of a file: visible as it is, without a directory, not hidden,
// and a name on every system.
func CheckFileName(parameter, name string) error {
	problem := fileNameProblem(name)
	if problem == "" {
		return nil
	}
	return Errorf(
		InvalidArgument,
		"%q cannot be a file's name: it %s",
		CleanLine(Truncate(name, 100)),
		problem,
	).With("parameter", parameter).
		Suggest("Give %s as a plain name of at most %d bytes, such as report.txt.", parameter, maxFileName)
}

// fileNameProblem says what is wrong with a file's name, "" for nothing.
func fileNameProblem(name string) string {
	stem, _, _ := strings.Cut(name, ".")
	switch {
	case name == "":
		return "is empty"
	case len(name) > maxFileName:
		return "is too long"
	case !utf8.ValidString(name):
		return "is not UTF-8"
	case strings.ContainsAny(name, `/\`):
		return "has a slash"
	case strings.HasPrefix(name, "."):
		return "begins with a dot"
	case strings.HasSuffix(name, "."), strings.TrimSpace(name) != name:
		return "begins or ends with a space, or ends with a dot"
	case CleanLine(name) != strings.Join(strings.Fields(name), " "),
		strings.ContainsAny(name, "\t\r\n\v\f\u0085\u2028\u2029"):
		return "has characters that do not show"
	case slices.Contains(deviceNames, strings.ToLower(strings.TrimSpace(stem))):
		return "means a device"
	}

	return ""
}

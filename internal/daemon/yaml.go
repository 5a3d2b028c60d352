package daemon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"parley"
	"parley/internal/notify"
	"parley/internal/place"
	"parley/internal/setting"
	"parley/orchestrator/conversation"
	"parley/orchestrator/meter"
	"parley/orchestrator/settings"
	"parley/plain"
	"parley/program/profile"
)

// decodeYAML reads text into t and refuses unknown keys.
func decodeYAML(file string, text []byte, t *Team) error {
	if err := checkYAML(file, text); err != nil {
		return err
	}

	err := yaml.NewDecoder(bytes.NewReader(text), yaml.Strict()).Decode(t)
	if err != nil && !errors.Is(err, io.EOF) {
		return explainYAML(file, text, err)
	}
	return nil
}

// explainYAML turns an error of the decoder into one with the line, an excerpt and
// the next step.
func explainYAML(file string, text []byte, err error) error {
	var e yaml.Error
	if !errors.As(err, &e) {
		return parley.Errorf(parley.InvalidArgument, "%s: %v", file, err).Suggest("Correct the file.")
	}

	at := e.GetToken().Position
	line := at.Line
	message := e.GetMessage()
	action := "Correct that line; parley schema prints what the file may hold."

	if unknown, ok := errors.AsType[*yaml.UnknownFieldError](err); ok {
		key := unknown.Token.Value
		message = fmt.Sprintf("there is no key %q", plain.Truncate(key, maxExcerpt))
		known := siblingKeys(unknown.Token)
		action = "Use one of: " + strings.Join(known, ", ") + "."
		if near := plain.Nearest(key, known); near != "" {
			action = fmt.Sprintf("Did you mean %q?", near)
		}
	}

	if mistyped, ok := errors.AsType[*yaml.TypeError](err); ok {
		message = profile.Mistyped(mistyped)
	}

	return parley.Errorf(
		parley.InvalidArgument, "%s:%d: %s\n%s", filepath.Base(file), line, message, excerpt(text, at.Line, at.Column),
	).With("file", file).With("line", line).Suggest("%s", action)
}

// maxExcerpt is how many characters of a line are shown.
const maxExcerpt = 100

// excerpt shows a place in a text, with three lines before and behind it. The library's own takes time with
// the square of the text's length.
func excerpt(text []byte, line, column int) string {
	var shown []string
	number := 0
	for content := range strings.Lines(string(text)) {
		number++
		if number < line-3 || number > line+3 {
			continue
		}

		mark := " "
		if number == line {
			mark = ">"
		}
		content = plain.Truncate(cleanIndented(content), maxExcerpt)
		shown = append(shown, strings.TrimRight(fmt.Sprintf("%s %2d | %s", mark, number, content), " "))
		if number == line && column <= maxExcerpt {
			shown = append(shown, strings.Repeat(" ", len("> 10 | ")+column-1)+"^")
		}
	}

	return strings.Join(shown, "\n")
}

// siblingKeys lists the keys that are allowed where key stands: in the first column
// those of the file, else those of the part that begins there above it.
func siblingKeys(key *token.Token) []string {
	if key.Position.Column == 1 {
		return setting.Names(reflect.TypeFor[Team]())
	}

	part := key
	for part.Prev != nil && (part.Position.Column > 1 || part.Type != token.StringType) {
		part = part.Prev
	}

	switch part.Value {
	case "agents":
		return slices.Concat(setting.Names(reflect.TypeFor[Agent]()), setting.Names(reflect.TypeFor[meter.Budget]()))
	case "conversation":
		return setting.Names(reflect.TypeFor[conversation.Settings]())
	case "worktrees":
		return setting.Names(reflect.TypeFor[Worktrees]())
	case "attach":
		return setting.Names(reflect.TypeFor[AttachSettings]())
	case "screen":
		return setting.Names(reflect.TypeFor[ScreenSettings]())
	case "prices":
		return setting.Names(reflect.TypeFor[meter.Price]())
	case "budget":
		return setting.Names(reflect.TypeFor[meter.Budget]())
	case "notify":
		return setting.Names(reflect.TypeFor[notify.Settings]())
	case "web":
		return setting.Names(reflect.TypeFor[settings.PageSettings]())
	case "responders":
		return slices.Concat(
			setting.Names(reflect.TypeFor[Responder]()), setting.Names(reflect.TypeFor[parley.ResponderExtras]()),
		)
	}

	return setting.Names(reflect.TypeFor[Settings]())
}

// Bounds of a parley.yaml, which may come with somebody else's repository. The parser's time and memory
// grow with the square of the depth: 100 KB of opening brackets took 3 GB. Each anchor may be used by the
// next one, with the same effect. The lexer reads each character once.
const (
	maxTeamFile = 256 << 10 // bytes
	maxNesting  = 100       // levels; a parley.yaml has 6
	maxAnchors  = 1000
)

// checkYAML refuses a text before it is parsed that is nested too deep or has several documents, of which
// the decoder would read the first.
func checkYAML(file string, text []byte) error {
	var scan yamlScan
	for _, t := range lexer.Tokenize(string(text)) {
		if why, action := scan.next(t); why != "" {
			return parley.Errorf(parley.InvalidArgument, "%s:%d: %s", filepath.Base(file), t.Position.Line, why).
				With("file", file).With("line", t.Position.Line).Suggest("%s", action)
		}
	}
	return nil
}

// yamlScan follows the tokens of a YAML text.
type yamlScan struct {
	brackets  int  // open
	line      int  // of the last token
	inLine    int  // entries that begin in the line: "- - - a" has three
	directive bool // the line is one
	headers   int
	content   bool // there was some
	ended     bool // a document is over
	anchors   int
}

// next takes a token, and says what is wrong with it.
func (s *yamlScan) next(t *token.Token) (why, action string) {
	if t.Position.Line != s.line {
		s.line, s.inLine, s.directive = t.Position.Line, 0, false
	}

	switch t.Type {
	case token.CommentType:
		return "", ""
	case token.DirectiveType:
		s.directive = true
	case token.DocumentHeaderType:
		s.ended = s.ended || s.content || s.headers > 0
		s.headers++
		return "", ""
	case token.DocumentEndType:
		s.ended = true
		return "", ""
	case token.SequenceStartType, token.MappingStartType:
		s.brackets++
	case token.SequenceEndType, token.MappingEndType:
		s.brackets--
	case token.SequenceEntryType, token.MappingKeyType:
		s.inLine++
	case token.AnchorType:
		s.anchors++
	}

	s.content = s.content || !s.directive
	switch {
	case s.ended:
		return "a second document begins here", "Keep one document: remove the line --- and put all into the first."
	case s.brackets > maxNesting || s.inLine > maxNesting:
		return "this is nested deeper than 100 levels", "Remove the brackets; a parley.yaml needs a few levels."
	case s.anchors > maxAnchors:
		return "there are more than 1000 anchors", "Write the values out; a parley.yaml needs few anchors."
	}

	return "", ""
}

// TrustHashes is the variable with the hashes of files that a script trusts, separated by commas.
const TrustHashes = "PARLEY_TRUST"

// Trust knows which files the user trusts. A parley.yaml can come with somebody else's repository, so
// what it may run, open, send or delete counts only after the user has agreed to this content in this place.
type Trust struct {
	dir    string   // has one file for each trusted content; "" if the user has no place for it
	hashes []string // of trusted contents, wherever they are
}

// TrustOf returns what the user of an environment trusts.
func TrustOf(env Environ) Trust {
	t := Trust{hashes: strings.FieldsFunc(env.Get(TrustHashes), func(r rune) bool { return r == ',' || r == ' ' })}
	if state := place.StateHome(env); state != "" {
		t.dir = filepath.Join(state, "parley", "trusted")
	}
	return t
}

// Has reports whether the user trusts what a file says, or whether it says nothing that needs trust.
func (t Trust) Has(file *Team) bool {
	if len(file.Claims) == 0 || slices.Contains(t.hashes, file.Hash) {
		return true
	}
	if t.dir == "" {
		return false
	}
	_, err := os.Stat(t.record(file))
	return err == nil
}

// Add remembers that the user trusts a file as it is now.
func (t Trust) Add(file *Team) error {
	if t.dir == "" {
		return parley.Errorf(parley.StorageUnavailable,
			"there is no place to remember what you trust: HOME is not set").
			Suggest("Set HOME, or %s=%s for one run.", TrustHashes, file.Hash)
	}

	err := os.MkdirAll(t.dir, 0o700)
	if err == nil {
		err = os.WriteFile(t.record(file), []byte(file.File+"\n"+file.Hash+"\n"), 0o600)
	}
	if err != nil {
		return parley.Errorf(parley.StorageUnavailable, "what you trust cannot be remembered: %w",
			place.PathCause(err)).
			Suggest("Make %s writable for you.", t.dir)
	}

	return nil
}

// Remove forgets that the user trusts a file as it is now.
func (t Trust) Remove(file *Team) error {
	err := os.Remove(t.record(file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget %s: %w", file.File, err)
	}
	return nil
}

// record returns the path of the file that says that a content is trusted where it is.
func (t Trust) record(file *Team) string {
	return filepath.Join(t.dir, hashOf([]byte(file.File+"\x00"+file.Hash)))
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// NotTrusted returns the error of an act for which a file must be trusted.
func NotTrusted(file *Team) error {
	return parley.Errorf(parley.NotTrusted, "%s is not trusted: it may come from somebody else", file.File).
		With("file", file.File).With("sha256", file.Hash).
		Suggest("Run parley trust: it shows what the file runs, opens, sends and deletes, and asks. "+
			"In a script, set %s=%s.", TrustHashes, file.Hash)
}

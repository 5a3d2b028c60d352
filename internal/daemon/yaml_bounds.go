package daemon

import (
	"path/filepath"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"parley"
)

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

package transcript

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Kept says where a program keeps its conversations, and where they say what a person and its model said. The zero
// value keeps none. Compile must be called before it is used.
type Kept struct {
	Kind  Kind   `yaml:"kind"`
	Env   string `yaml:"env"`   // the variable that names the program's directory
	Home  string `yaml:"home"`  // where that is without it, below the user's home directory
	Files string `yaml:"files"` // the pattern of its transcripts below that, or the path of its database
	Whole bool   `yaml:"whole"` // a transcript is one JSON value, and not one in each line

	// Named matches the path of a transcript. Its group "id" is the conversation's id, or begins it where ID names
	// the field that has all of it.
	Named string `yaml:"named"`
	ID    string `yaml:"id"`

	// About is a file with the facts that the transcript does not tell, relative to its directory; {id} stands for the
	// conversation's id. It has fields, or one line, which is the directory.
	About  string `yaml:"about"`
	Dir    string `yaml:"dir"`
	Branch string `yaml:"branch"`

	Person []Said `yaml:"person,omitempty"`
	Agent  []Said `yaml:"agent,omitempty"`
	// Inside is the tag in which the program puts what a person said. Text in another tag is the program's own.
	Inside string `yaml:"inside"`

	Live  Live  `yaml:"live,omitempty"`
	Needs Needs `yaml:"needs,omitempty"`

	named *regexp.Regexp
}

// Needs is what the user's own settings must say, so that the program keeps a conversation that was continued.
type Needs struct {
	File  string `yaml:"file"` // below the program's directory
	Where Which  `yaml:"where,omitempty"`
	Why   string `yaml:"why"`   // as a sentence without a capital and a stop
	Write string `yaml:"write"` // what to write into the file
}

// Said says where a line has what one side said. Each is a list in the line, to each part of which the rest applies.
// The text is one, or a list of parts that have a text.
type Said struct {
	Lines Which  `yaml:"lines,omitempty"`
	Each  string `yaml:"each"`
	Text  string `yaml:"text"`
}

// Live says how a program tells which process has a conversation open: by files with its id and the process, or by a
// file whose name matches Named, with a group "pid", or because the process holds the transcript open.
type Live struct {
	Files string `yaml:"files"` // a pattern below the program's directory; {id} stands for the id
	ID    string `yaml:"id"`
	PID   string `yaml:"pid"`
	Named string `yaml:"named"`
	Open  bool   `yaml:"open"`
	// Ends is how a person ends what keeps a conversation open when the program itself has ended.
	Ends string `yaml:"ends"`

	named *regexp.Regexp
}

// Turn is what one side of a conversation said at a time.
type Turn struct {
	Person bool // else the model
	Text   string
}

// Facts are what a transcript tells of its conversation.
type Facts struct{ ID, Dir, Branch string }

// Compile prepares k.
func (k *Kept) Compile() (err error) {
	for _, said := range [][]Said{k.Person, k.Agent} {
		for i := range said {
			said[i].Lines.Compile()
		}
	}
	k.Needs.Where.Compile()
	if k.named, err = regexp.Compile(k.Named); err != nil {
		return err
	}
	k.Live.named, err = regexp.Compile(k.Live.Named)
	return err
}

// Clone returns a copy that shares nothing with k. It is not compiled.
func (k Kept) Clone() Kept {
	for _, said := range []*[]Said{&k.Person, &k.Agent} {
		*said = slices.Clone(*said)
		for i := range *said {
			(*said)[i].Lines = (*said)[i].Lines.Clone()
		}
	}
	k.Needs.Where = k.Needs.Where.Clone()
	return k
}

// IDIn returns the id in the path of a transcript, or its beginning, "" if there is none.
func (k *Kept) IDIn(path string) string { return group(k.named, path, "id") }

// PIDIn returns the process in the name of a file, "" if there is none.
func (l *Live) PIDIn(path string) string { return group(l.named, path, "pid") }

func group(re *regexp.Regexp, text, name string) string {
	m := re.FindStringSubmatch(text)
	if i := re.SubexpIndex(name); m != nil && i >= 0 {
		return m[i]
	}
	return ""
}

// Take reads a line of a transcript: what was said there, and the facts that f lacks.
func (k *Kept) Take(line []byte, f *Facts) (turns []Turn) {
	wanted := f.ID == "" && has(line, k.ID) || k.About == "" && (f.Dir == "" && has(line, k.Dir) ||
		f.Branch == "" && has(line, k.Branch))
	speaks := func(s Said) bool { return s.Lines.mayBe(line) }
	person, agent := slices.ContainsFunc(k.Person, speaks), slices.ContainsFunc(k.Agent, speaks)
	if !wanted && !person && !agent {
		return nil
	}

	l, ok := open(line)
	if !ok {
		return nil
	}
	if f.ID == "" && k.ID != "" {
		f.ID = l.text(k.ID)
	}
	if k.About == "" {
		k.facts(l, f)
	}
	for _, said := range k.Person {
		for _, text := range said.in(l) {
			if text, ok := k.ofPerson(text); ok {
				turns = append(turns, Turn{true, text})
			}
		}
	}
	for _, said := range k.Agent {
		for _, text := range said.in(l) {
			turns = append(turns, Turn{false, text})
		}
	}
	return turns
}

// has reports whether a line may have a field.
func has(line []byte, path string) bool {
	return path != "" && (&Which{needles: [][]byte{quoted(path[strings.LastIndexByte(path, '.')+1:])}}).mayBe(line)
}

func (k *Kept) facts(l fields, f *Facts) {
	f.Dir, f.Branch = cmp.Or(f.Dir, l.text(k.Dir)), cmp.Or(f.Branch, l.text(k.Branch))
}

// TakeAbout reads the file with the facts that the transcript does not tell.
func (k *Kept) TakeAbout(content []byte, f *Facts) {
	if k.Dir == "" {
		f.Dir, _, _ = strings.Cut(string(content), "\n")
	} else if l, ok := open(content); ok {
		k.facts(l, f)
	}
}

// Opened returns the process that a file says has a conversation open, "" if it says none. The file has the fields, or
// a list of those.
func (l *Live) Opened(content []byte, id string) string {
	whole, ok := open(content)
	if !ok {
		return ""
	}
	entries := []fields{whole}
	if list, ok := whole.line.([]any); ok {
		entries = nil
		for _, part := range list {
			entries = append(entries, fields{line: part})
		}
	}
	for _, entry := range entries {
		if entry.text(l.ID) == id {
			return entry.text(l.PID)
		}
	}
	return ""
}

// in returns the texts that a line has of one side.
func (s *Said) in(l fields) (texts []string) {
	if len(s.Lines.needles) == 0 {
		return nil
	}
	for _, part := range l.parts(s.Each) {
		if !s.Lines.are(part) {
			continue
		}
		switch v := part.find(s.Text).(type) {
		case string:
			texts = append(texts, v)
		case []any:
			for _, piece := range v {
				p := fields{line: piece}
				if text := p.text("text"); p.text("thought") != "true" {
					texts = append(texts, text)
				}
			}
		}
	}
	return slices.DeleteFunc(texts, func(text string) bool { return strings.TrimSpace(text) == "" })
}

// tagged matches a text that stands in a tag.
var tagged = regexp.MustCompile(`(?s)^\s*<([a-z][a-z_-]*)\b[^>]*>(.*)</[a-z][a-z_-]*>\s*$`)

// ofPerson returns what a person said in a text. It is not ok if the program has written it.
func (k *Kept) ofPerson(text string) (said string, ok bool) {
	m := tagged.FindStringSubmatch(text)
	switch {
	case m == nil:
		return text, true
	case m[1] == k.Inside:
		return m[2], true
	}
	return "", false
}

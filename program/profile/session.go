package profile

import (
	"regexp"
	"slices"
	"strings"

	"parley"
)

// Session says how a program is brought back with its own session: its conversation with its model.
// Choose and Resume are templates over Values, such as [--resume, '{{.Session}}']. They follow the
// launch command, before the handover's arguments.
type Session struct {
	Choose []string `yaml:"choose"` // begin a session with this id; empty: the program chooses it
	Resume []string `yaml:"resume"` // continue the session with this id; empty: it cannot
	// Own lists the words with which a command itself says which session it continues. parley then
	// adds nothing.
	Own []string `yaml:"own"`
	// File matches the path of a file that the program keeps open for its session; its group "id" is
	// the session's id. It is for programs that tell the id in no other way.
	File string `yaml:"file"`
	// ByMessage says that its session is the one whose transcript holds the message that parley typed last.
	// It is for programs that tell the id in no other way, and record all sessions in one database.
	ByMessage bool `yaml:"by_message"`
}

// Resumes reports whether the program can be brought back with its session.
func (s Session) Resumes() bool { return len(s.Resume) > 0 }

// Chooses reports whether parley may give the session that a command begins its id.
func (s Session) Chooses(command []string) bool {
	return len(s.Choose) > 0 && !s.HasOwnSession(command)
}

// HasOwnSession reports whether a command itself says which session it continues.
func (s Session) HasOwnSession(command []string) bool {
	return slices.ContainsFunc(command, func(word string) bool {
		flag, _, _ := strings.Cut(word, "=")
		return slices.Contains(s.Own, flag)
	})
}

// Render returns the arguments that begin and that continue the session with an id.
func (s Session) Render(id string) (choose, resume []string, err error) {
	f := filler{}
	v := Values{Session: id}
	for _, arg := range s.Choose {
		choose = append(choose, f.fill(v, "session.choose", arg))
	}
	for _, arg := range s.Resume {
		resume = append(resume, f.fill(v, "session.resume", arg))
	}
	return choose, resume, f.err
}

// SessionIn returns the id of the session to which the open files of a program belong. It is not ok if
// they belong to none or to several.
func (p *Profile) SessionIn(paths []string) (id string, ok bool) {
	if p.patterns.session == nil {
		return "", false
	}

	group := p.patterns.session.SubexpIndex("id")
	for _, path := range paths {
		m := p.patterns.session.FindStringSubmatch(path)
		switch {
		case m == nil:
		case id != "" && m[group] != id:
			return "", false
		default:
			id = m[group]
		}
	}

	return id, parley.IsSessionID(id)
}

// IsTranscript reports whether a file that the program holds open is its transcript.
func (p *Profile) IsTranscript(path string) bool {
	return p.patterns.transcript != nil && p.patterns.transcript.MatchString(path)
}

// ShowsSession reports whether the program's session is known by what it keeps open or records.
func (p *Profile) ShowsSession() bool { return p.patterns.session != nil || p.Session.ByMessage }

// session checks the session's templates, and compiles its patterns.
func (c checker) session() error {
	p, s := c.p, c.p.Session
	choose, resume, err := s.Render("id")
	if err != nil {
		return err
	}
	if slices.ContainsFunc(slices.Concat(choose, resume), hasNUL) {
		return c.invalid("session", "a zero byte").Suggest("Leave it out: no argument can hold one.")
	}

	if s.ByMessage && p.TranscriptOpen == "" {
		return c.invalid("session.by_message", "true").Suggest("Say with transcript_open which database it is.")
	}
	if p.TranscriptOpen != "" {
		if p.patterns.transcript, err = c.pattern("transcript_open", p.TranscriptOpen); err != nil {
			return err
		}
	}

	if s.File == "" {
		return nil
	}
	re, err := c.pattern("session.file", s.File)
	if err != nil {
		return err
	}
	if re.SubexpIndex("id") < 0 {
		return c.invalid("session.file", s.File).Suggest("Put the id into a group named id: (?P<id>…).")
	}
	p.patterns.session = re

	return nil
}

func (s Session) clone() Session {
	s.Choose, s.Resume, s.Own = slices.Clone(s.Choose), slices.Clone(s.Resume), slices.Clone(s.Own)
	return s
}

// Behind returns the text right after the parenthesis that holds mark, which is the
// footer of a message, and whether the screen shows the footer. The highest one counts,
// since quotations stand below it. The closing parenthesis may stand some rows further
// down, as programs wrap. Text after a wide gap does not count. A row of words right below, indented as
// the rows of a prompt are, is text behind it too: a program can take the key that submits for a line break.
func Behind(lines []string, mark string) (text string, shown bool) {
	for i, line := range lines {
		if _, after, ok := strings.Cut(line, mark); ok {
			return afterFooter(after, lines[i+1:])
		}
	}
	return "", false
}

func afterFooter(after string, below []string) (text string, shown bool) {
	for range 1 + min(announcementRows, len(below)) {
		if _, rest, ok := strings.Cut(after, ")"); ok {
			rest, _, _ = strings.Cut(strings.TrimPrefix(rest, " "), gap)
			rest = strings.TrimFunc(frame.ReplaceAllString(rest, ""), isBlank)
			if rest == "" && len(below) > 0 && furtherRow.MatchString(below[0]) {
				rest = strings.TrimSpace(below[0])
			}
			return rest, true
		}
		if len(below) > 0 {
			after, below = below[0], below[1:]
		}
	}
	return "", false
}

// Answered reports whether rows of a screen show an answer to the text that the next copy of mark ends,
// after as many copies from before it.
func (p *Profile) Answered(rows []string, mark string, copies int) bool {
	if p.patterns.answer == nil {
		return false
	}
	at := slices.IndexFunc(rows, func(row string) bool {
		copies -= strings.Count(row, mark)
		return copies < 0
	})
	return at >= 0 && p.patterns.answer.MatchString(strings.Join(rows[at+1:], "\n"))
}

// Shown reports whether rows of a screen show text, whatever the frames and the breaks that the
// program draws it with. A text that is wrapped next to other columns is not found.
func Shown(rows []string, text string) bool {
	text = withoutFrames(text)
	return text != "" && strings.Contains(withoutFrames(strings.Join(rows, "\n")), text)
}

// Times returns how often rows of a screen show text, as Shown finds it.
func Times(rows []string, text string) int {
	if text = withoutFrames(text); text == "" {
		return 0
	}
	return strings.Count(withoutFrames(strings.Join(rows, "\n")), text)
}

// withoutFrames removes white space and the characters with which frames are drawn.
func withoutFrames(s string) string {
	return strings.Map(func(r rune) rune {
		if isBlank(r) || r >= '\u2500' && r <= '\u259f' {
			return -1
		}
		return r
	}, s)
}

// Above returns the rows above the composer, which show what the program was given and has
// said. It is not ok if the composer is not on the screen.
func (p *Profile) Above(lines []string) (rows []string, ok bool) {
	pg := p.open(lines)
	return pg.above()
}

func (pg *page) above() (rows []string, ok bool) {
	if !pg.found {
		return nil, false
	}
	return pg.lines[:strings.Count(pg.text[:pg.composer.start], "\n")], true
}

const (
	// announcementRows is how many more rows the footer of an announcement, the longest footer,
	// takes on a terminal of 80 columns.
	announcementRows = 3
	gap              = "   "
)

// furtherRow matches a row of words that is indented.
var furtherRow = regexp.MustCompile(`^ +[\pL\pN]`)

// frame matches from the first character with which frames are drawn; people do not
// type those.
var frame = regexp.MustCompile(`[\x{2500}-\x{259f}].*`)

package profile

import (
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

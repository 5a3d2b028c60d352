package profile

import "maps"

// Careful returns a profile with all that Default says of how a program is typed to and its screen read. It is for a
// version of the program that the profile misreads. How it is launched, continued and read otherwise stays.
func (s Set) Careful(name string) (*Profile, error) {
	p, err := s.Find(name)
	if err != nil {
		return nil, err
	}
	other, err := s.Find(Default)
	if err != nil {
		return nil, err
	}

	c := p.clone()
	c.OneLine, c.InlineLines = other.OneLine, other.InlineLines
	c.InlineChars, c.InlineBytes = other.InlineChars, other.InlineBytes
	c.Key, c.QueueKey, c.FirstShown = other.Key, other.QueueKey, other.FirstShown
	c.Settle, c.ShowWithin = other.Settle, other.ShowWithin
	c.TakenWithin, c.RefusesWithin = other.TakenWithin, other.RefusesWithin
	c.Startup, c.Quiet, c.Still = max(other.Startup, p.Startup), max(other.Quiet, p.Quiet), other.Still

	c.Markers = other.Markers
	for _, m := range []*map[string]string{&c.Markers.Blocked, &c.Markers.Questions, &c.Markers.Dialogs} {
		*m = maps.Clone(*m)
	}
	c.patterns = other.patterns
	c.patterns.garbles, c.patterns.alters, c.patterns.titles = p.patterns.garbles, p.patterns.alters, p.patterns.titles
	c.patterns.session, c.patterns.transcript = p.patterns.session, p.patterns.transcript
	return c, nil
}

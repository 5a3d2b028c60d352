package main

import (
	"parley"
	"parley/internal/daemon"
	"parley/program/profile"
)

func (c *cli) profileSet() (profile.Set, error) {
	t, err := c.team()
	if err != nil {
		return profile.Set{}, err
	}
	for _, e := range t.LeftOut {
		c.out.warned.print(c.out, "%s; it is left out\n  → %s", e.Message, e.Action)
	}

	return t.ProfileSet()
}

// team returns what counts in the workspace, and warns of what does not for want of trust.
func (c *cli) team() (*daemon.Team, error) {
	at, err := c.at.place()
	if err != nil {
		return nil, err
	}
	t, err := daemon.Load(at, c.at.env)
	if err != nil {
		return nil, err
	}
	c.out.warnOfTrust(at, &daemon.Info{Withheld: t.WithheldWords()})

	return t, nil
}

// aboutProfile explains why the daemon does not know a profile of parley.yaml: the
// profile is newer than the daemon, or has a mistake.
func (c *cli) aboutProfile(err error) error {
	name, missing := parley.AsError(err).Details["profile"].(string)
	if !missing || parley.ErrorCode(err) != parley.InvalidArgument {
		return err
	}

	t, faulty := c.team()
	if faulty != nil {
		return faulty
	}
	for _, e := range t.LeftOut {
		if e.Details["profile"] == name {
			return e
		}
	}

	set, faulty := t.ProfileSet()
	if faulty != nil {
		return faulty
	}
	if _, unknown := set.Find(name); unknown != nil {
		return err
	}

	return parley.Errorf(parley.InvalidArgument,
		"the daemon does not know the profile %q yet: it reads parley.yaml when it starts", name).
		With("profile", name).
		Suggest("Run parley down --keep-agents, and then this again; the agents stay.")
}

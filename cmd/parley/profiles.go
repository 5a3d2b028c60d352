package main

import (
	"parley"
	"parley/internal/daemon"
	"parley/profile"
)

func (c *cli) profileSet() (profile.Set, error) {
	at, err := c.place()
	if err != nil {
		return profile.Set{}, err
	}
	t, err := daemon.Load(at, c.env)
	if err != nil {
		return profile.Set{}, err
	}
	c.warnOfTrust(at, &daemon.Info{Withheld: t.WithheldWords()})

	return t.ProfileSet()
}

// aboutProfile explains why the daemon does not know a profile of parley.yaml: the
// profile is newer than the daemon, or invalid.
func (c *cli) aboutProfile(err error) error {
	name, missing := parley.AsError(err).Details["profile"].(string)
	if !missing || parley.ErrorCode(err) != parley.InvalidArgument {
		return err
	}

	set, faulty := c.profileSet()
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

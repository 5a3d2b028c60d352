package main

import (
	"strings"

	"parley"
	"parley/mcpserver"
)

// checkToolsets refuses toolsets of an agent that there are not.
func (m *member) checkToolsets(file string) error {
	if m.Toolsets != nil && len(m.Toolsets) == 0 {
		return parley.Errorf(parley.InvalidArgument, "%s: agent %s: toolsets is empty", file, m.Name).
			Suggest("Leave it out for all tools, or name at least one group.")
	}
	if _, err := mcpserver.ParseToolsets(strings.Join(m.Toolsets, ",")); err != nil {
		e := parley.AsError(err)
		return parley.Errorf(e.Code, "%s: agent %s: %w", file, m.Name, err).Suggest("%s", e.Action)
	}
	return nil
}

// toolsets are those of the agents that are offered less than all, by their names.
func (t *team) toolsets() map[string]string {
	sets := map[string]string{}
	for _, m := range t.Agents {
		if len(m.Toolsets) > 0 {
			sets[m.Name] = strings.Join(m.Toolsets, ",")
		}
	}
	return sets
}

// offered reads the toolsets of the setting and of the agents.
func offered(
	setting string,
	agents map[string]string,
) (all mcpserver.Toolsets, own map[string]mcpserver.Toolsets, err error) {
	if all, err = mcpserver.ParseToolsets(setting); err != nil {
		return nil, nil, err
	}
	own = map[string]mcpserver.Toolsets{}
	for name, text := range agents {
		if own[strings.ToLower(name)], err = mcpserver.ParseToolsets(text); err != nil {
			return nil, nil, err
		}
	}
	return all, own, nil
}

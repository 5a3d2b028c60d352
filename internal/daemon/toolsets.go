package daemon

import (
	"strings"

	"parley"
	"parley/mcpserver"
)

// checkToolsets refuses an agent's toolsets that do not exist.
func (m *Agent) checkToolsets(file string) error {
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

// toolsets returns the toolsets of the agents that are offered fewer than all, by name.
func (t *Team) toolsets() map[string]string {
	sets := map[string]string{}
	for _, m := range t.Agents {
		if len(m.Toolsets) > 0 {
			sets[m.Name] = strings.Join(m.Toolsets, ",")
		}
	}
	return sets
}

// ParseToolsets parses the toolsets of the mcp_toolsets setting and those of single
// agents, by name.
func ParseToolsets(
	setting string, agents map[string]string,
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

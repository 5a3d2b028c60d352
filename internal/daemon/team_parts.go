package daemon

import (
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/when"
	"parley/mcpserver"
	"parley/plain"
)

// Responder is a responder of parley.yaml: an agent for which a model answers.
type Responder struct {
	Name         string                 `yaml:"name" required:"true" doc:"A letter, then letters, digits, - or _, at most 32."`
	Model        string                 `yaml:"model" required:"true" doc:"The model that answers, as its server names it."`
	SystemPrompt string                 `yaml:"system_prompt" doc:"What the model is told before every conversation."`
	Temperature  *float64               `yaml:"temperature" min:"0" max:"2" doc:"The sampling temperature. Unless set, the server chooses."`
	MaxTokens    int                    `yaml:"max_tokens" min:"0" max:"1000000" doc:"The longest answer, in tokens. Unless set, the server chooses."`
	BaseURL      string                 `yaml:"base_url" doc:"The address of a server that speaks chat completions, such as http://127.0.0.1:11434/v1; OPENAI_BASE_URL of the daemon's environment or else OpenAI unless set. A query such as ?api-version=2024-10-21 stays one."`
	APIKeyEnv    string                 `yaml:"api_key_env" doc:"The variable of the daemon's environment that holds the key; OPENAI_API_KEY unless base_url is set. Never the key itself."`
	AutoRespond  *bool                  `yaml:"auto_respond" doc:"false makes it a mailbox for now."`
	Role         string                 `yaml:"role" doc:"Its role in the team."`
	Description  string                 `yaml:"description" doc:"What it is for, in a sentence."`
	Capabilities []string               `yaml:"capabilities" doc:"What it can do, one word or phrase each."`
	Groups       []string               `yaml:"groups" doc:"Groups it is a member of."`
	Additional   parley.ResponderExtras `yaml:"additional_config" doc:"How messages and answers are handled."`
}

func (a *Responder) config() parley.ResponderConfig {
	return parley.ResponderConfig{
		ModelID:      a.Model,
		SystemPrompt: a.SystemPrompt,
		Temperature:  a.Temperature,
		MaxTokens:    a.MaxTokens,
		BaseURL:      a.BaseURL,
		APIKeyEnv:    a.APIKeyEnv,
		Additional:   a.Additional,
	}
}

// Declared returns the responders of the file. They were checked when it was read.
func (t *Team) Declared() []parley.DeclaredResponder {
	var all []parley.DeclaredResponder
	for _, a := range t.Responders {
		config := a.config()
		_ = config.Check() // fills in the defaults
		all = append(all, parley.DeclaredResponder{
			Name:         a.Name,
			Description:  a.Description,
			Role:         a.Role,
			Capabilities: a.Capabilities,
			Groups:       a.Groups,
			Responder: parley.Responder{
				ResponderConfig: config,
				AutoRespond:     a.AutoRespond == nil || *a.AutoRespond,
				Origin:          parley.FromFile,
			},
		})
	}

	return all
}

// checkResponders refuses responders that are invalid or have a name of seen.
func (t *Team) checkResponders(file string, seen map[string]bool) error {
	for _, a := range t.Responders {
		config := a.config()
		err := parley.CheckName(a.Name)
		if err == nil {
			err = config.Check()
		}

		if err != nil {
			e := parley.AsError(err)
			return parley.Errorf(e.Code, "%s: responder %s: %w", file, plain.CleanLine(a.Name), err).
				Suggest("%s", e.Action)
		}

		if seen[strings.ToLower(a.Name)] {
			return duplicateName(file, a.Name)
		}

		seen[strings.ToLower(a.Name)] = true
	}

	return nil
}

// Worktrees says what a new git worktree gets before its agent starts.
type Worktrees struct {
	Copy  []string `yaml:"copy" doc:"Files and directories that git does not have, such as .env, relative to the repository."`
	Setup []string `yaml:"setup" doc:"Shell commands that run in it, one after the other, such as npm ci."`
}

// WithWorktree adds to a launch what the file says of the agent's worktree.
func (t *Team) WithWorktree(a Agent, r parley.LaunchAgentRequest) parley.LaunchAgentRequest {
	r.Worktree = a.Worktree
	t.Prepare(&r)
	return r
}

// checkPrompt refuses a rule by which no prompt comes.
func (a *Agent) checkPrompt(file string) error {
	if a.PromptEvery == "" && a.PromptZone == "" {
		return nil
	}
	_, err := when.ParseRule(a.PromptEvery)
	if err == nil {
		_, err = time.LoadLocation(a.PromptZone)
	}
	if err == nil && a.Prompt == "" {
		err = errors.New("it has no prompt")
	}
	if err != nil {
		return parley.Errorf(parley.InvalidArgument, "%s: the prompt of %s does not come again: %w", file, a.Name, err).
			Suggest("Give prompt, prompt_every as %s, and prompt_zone as Europe/Berlin or none.", when.RuleForms)
	}
	return nil
}

// HasWorktree reports whether the agent is to have a worktree of its own.
func (a *Agent) HasWorktree() bool { return hasWorktree(a.Worktree) }

func hasWorktree(setting string) bool { return setting != "" && setting != "false" }

// Prepare adds to a launch what the file says of new worktrees, if it asks for one.
func (t *Team) Prepare(r *parley.LaunchAgentRequest) {
	if hasWorktree(r.Worktree) {
		r.Copy, r.Setup = t.Worktrees.Copy, t.Worktrees.Setup
	}
}

// worktreeClaims tells what runs in new worktrees, and what is copied there.
func (t *Team) worktreeClaims() []Claim {
	var all []Claim
	if len(t.Worktrees.Copy) > 0 {
		words := "each new worktree gets " + strings.Join(t.Worktrees.Copy, ", ")
		all = append(all, Claim{"worktrees", plain.CleanLine(words)})
	}
	for _, command := range t.Worktrees.Setup {
		all = append(all, Claim{"worktrees", plain.CleanLine("in each new worktree runs " + command)})
	}
	return all
}

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

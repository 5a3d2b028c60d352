package daemon

import (
	"strings"

	"parley"
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

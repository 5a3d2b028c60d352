package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"parley"
	"parley/plain"
)

// prompt is a common task that a person picks and a model carries out with the tools.
type prompt struct {
	name, about string
	tools       []string // the tools that the task needs
	arguments   []argument
	text        func(given map[string]string) string
}

// reviewer is the argument of a prompt that names an agent.
const reviewer = "reviewer"

type argument struct {
	name, about string
	required    bool
}

var prompts = []prompt{
	{
		name:  "catch_up",
		about: "See what the team is doing and what waits for you, and give the answers that you owe.",
		tools: []string{"get_agent_status", "get_messages", "respond_to_message"},
		text: func(map[string]string) string {
			return "Catch up with your team through parley. Call get_agent_status to see who is there and what you " +
				"owe, and get_messages to read what you received. Answer with respond_to_message where an answer is " +
				"needed, the most urgent first; leave the rest. Then tell me in a few lines who does what, what was " +
				"decided, and what you will do next."
		},
	},
	{
		name:  "ask_for_review",
		about: "Ask another agent to review your work.",
		tools: []string{"send_message", "request_assistance"},
		arguments: []argument{
			{"what", "What to review: a change, a file, a plan.", true},
			{reviewer, "Name of the agent to ask; by default one that can.", false},
		},
		text: askForReview,
	},
	{
		name:      "report_progress",
		about:     "Tell the team what you have done, what is open and what you need.",
		tools:     []string{"broadcast_update", "send_message"},
		arguments: []argument{{"on", "What to report on; by default what you work on now.", false}},
		text: func(given map[string]string) string {
			return "Report on " + cmp.Or(given["on"], "what you work on now") + " to your team. Call " +
				"broadcast_update once: update_type progress, or completion when it is done and tested, " +
				"or issue when you are stuck; " +
				"a summary of one line; in details what is done, how you know that it works, and what is open. Set " +
				"action_required only if somebody must act, and say who. If only one agent needs to know, use " +
				"send_message instead."
		},
	},
}

func askForReview(given map[string]string) string {
	how := "Call request_assistance with assistance_type review and the capabilities that the review needs; the " +
		"answer shows who was asked. "
	if name := given[reviewer]; name != "" {
		how = fmt.Sprintf("Call send_message to %q with type request and requires_response true. ", name)
	}
	return "Ask for a review of " + given["what"] + ". " + how + "Say in one message where it is (path, branch or " +
		"commit), what it should do, how you tested it, and what to look at most. Go on with something else " +
		"meanwhile: you get the answer as a message. Weigh each finding, and say what you did about it."
}

func (p prompt) describe() mcp.Prompt {
	options := []mcp.PromptOption{mcp.WithPromptDescription(p.about)}
	for _, a := range p.arguments {
		about := []mcp.ArgumentOption{mcp.ArgumentDescription(a.about)}
		if a.required {
			about = append(about, mcp.RequiredArgument())
		}
		options = append(options, mcp.WithArgument(a.name, about...))
	}
	return mcp.NewPrompt(p.name, options...)
}

func (p prompt) get(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	given := map[string]string{}
	for _, a := range p.arguments {
		given[a.name] = plain.CleanLine(req.Params.Arguments[a.name])
		if a.required && strings.TrimSpace(given[a.name]) == "" {
			return nil, parley.Errorf(parley.InvalidArgument, "the argument %s is missing", a.name).
				Suggest("Give it: %s", a.about)
		}
	}
	return mcp.NewGetPromptResult(p.about, []mcp.PromptMessage{
		mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(p.text(given)))}), nil
}

// visiblePrompts leaves out the prompts whose tools the caller in ctx does not see.
func (o Options) visiblePrompts(ctx context.Context, list []mcp.Prompt) []mcp.Prompt {
	return slices.DeleteFunc(slices.Clone(list), func(one mcp.Prompt) bool {
		i := slices.IndexFunc(prompts, func(p prompt) bool { return p.name == one.Name })
		return i < 0 || slices.ContainsFunc(prompts[i].tools, func(tool string) bool { return !o.sees(ctx, tool) })
	})
}

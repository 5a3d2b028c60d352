package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/op"
	"parley/plain"
)

// completeWithin bounds a completion: somebody waits with a finger on Tab.
const completeWithin = 500 * time.Millisecond

// completer completes what somebody types, with what a running daemon knows.
type completer struct{ cli *cli }

// completion completes the arguments of a command, by a completer.
type completion func(
	c completer, cmd *cobra.Command, args []string, begun string,
) ([]string, cobra.ShellCompDirective)

// by returns the completion for cobra, nil for none.
func (f completion) by(c completer) cobra.CompletionFunc {
	if f == nil {
		return nil
	}
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		return f(c, cmd, args, begun)
	}
}

// ask calls a running daemon for a completion. It starts none, and does nothing if there is none.
func (c completer) ask(ctx context.Context, call func(context.Context, *client.Client)) {
	at, err := c.cli.at.place()
	if err != nil {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, completeWithin)
	defer cancel()

	info := daemon.Running(ctx, at)
	if info == nil {
		return
	}

	service := c.cli.at.clientOf(info)
	defer service.Close()
	call(ctx, service)
}

// completeAgents completes the names of agents, also the last of several with commas between.
func (c completer) completeAgents(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	return afterComma(begun, agentWords(c.agentsNow(cmd.Context()))), cobra.ShellCompDirectiveNoFileComp
}

// completeRecipients is like completeAgents, with the groups, and ALL.
func (c completer) completeRecipients(
	cmd *cobra.Command, args []string, begun string,
) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	agents := c.agentsNow(cmd.Context())
	words := append(agentWords(agents), groupWords(agents)...)
	if len(agents) > 0 && begun != "" { // an empty word shows names alone
		words = append(words, "ALL\teverybody")
	}
	return afterComma(begun, words), cobra.ShellCompDirectiveNoFileComp
}

// agentsNow returns the agents of a running daemon.
func (c completer) agentsNow(ctx context.Context) []parley.AgentStatus {
	var agents []parley.AgentStatus
	c.ask(ctx, func(ctx context.Context, service *client.Client) {
		if res, err := op.GetAgentStatus.Call(ctx, service, parley.AgentStatusRequest{}); err == nil {
			agents = res.Agents
		}
	})
	return agents
}

// completeAnswer completes the names of agents with a question, and then the choices of that question.
func (c completer) completeAnswer(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var words []string
	c.ask(cmd.Context(), func(ctx context.Context, service *client.Client) {
		res, err := op.GetNeeds.Call(ctx, service, parley.GetNeedsRequest{})
		if err != nil {
			return
		}

		for _, n := range res.Needs {
			switch {
			case n.Kind != parley.NeedDialog:
			case len(args) == 0:
				words = append(words, n.Agent+"\t"+questionWords(n))
			case len(args) == 1 && n.Dialog != nil && strings.EqualFold(n.Agent, args[0]):
				for _, o := range n.Dialog.Options {
					words = append(words, o.Choice+"\t"+o.Label)
				}
			}
		}
	})

	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// questionWords says what an agent asks.
func questionWords(n parley.Need) string {
	if n.Dialog == nil {
		return n.Text
	}
	return plain.Truncate(plain.CleanLine(n.Dialog.Question), 60)
}

func agentWords(agents []parley.AgentStatus) []string {
	var words []string
	for _, a := range agents {
		words = append(words, a.Name+"\t"+string(a.State))
	}
	return words
}

// groupWords returns the groups of agents as they are addressed, with their members.
func groupWords(agents []parley.AgentStatus) []string {
	members := map[string][]string{}
	var groups []string
	for _, a := range agents {
		for _, group := range a.Groups {
			if members[group] == nil {
				groups = append(groups, group)
			}
			members[group] = append(members[group], a.Name)
		}
	}

	slices.Sort(groups)
	for i, group := range groups {
		groups[i] = fmt.Sprintf("@%s\t%s", group, strings.Join(members[group], ", "))
	}

	return groups
}

// offerGroups completes the names of groups without their sign.
func (c completer) offerGroups() cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		words := groupWords(c.agentsNow(cmd.Context()))
		for i, word := range words {
			words[i] = strings.TrimPrefix(word, "@")
		}
		return afterComma(begun, words), cobra.ShellCompDirectiveNoFileComp
	}
}

// afterComma puts what was typed up to the last comma before each word, and leaves out the words
// that stand there already.
func afterComma(begun string, words []string) []string {
	at := strings.LastIndex(begun, ",")
	if at < 0 {
		return words
	}

	before := strings.Split(begun[:at], ",")
	var rest []string
	for _, word := range words {
		if name, _, _ := strings.Cut(word, "\t"); !slices.Contains(before, name) {
			rest = append(rest, begun[:at+1]+word)
		}
	}

	return rest
}

// completeMessage completes the id of a message, with who sent it and how it begins.
func (c completer) completeMessage(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}

	var words []string
	c.ask(cmd.Context(), func(ctx context.Context, service *client.Client) {
		if res, err := op.ReadEvents.Call(ctx, service, parley.ReadEventsRequest{Last: 300, Limit: 300}); err == nil {
			words = messageWords(res.Events)
		}
	})

	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// messageWords returns the messages that events announce, the newest first.
func messageWords(events []parley.Event) []string {
	var words []string
	for _, e := range slices.Backward(events) {
		if !e.Type.Announces() {
			continue
		}
		begins := plain.CleanLine(plain.Truncate(e.Preview, 50))
		word := fmt.Sprintf("%s\t%s: %s", parley.Short(e.MessageID), e.Sender, begins)
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// firstAgents completes agent names for the first n arguments; n < 0 for all.
func firstAgents(n int) completion {
	return func(c completer, cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if n >= 0 && len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.completeAgents(cmd, args, begun)
	}
}

// profiles returns the names of the workspace's profiles.
func (c completer) profiles() []string {
	set, err := c.cli.profileSet()
	if err != nil {
		return nil
	}
	return set.Names()
}

// shells are those that parley writes a script for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

// completionCommand prints the script that completes parley in a shell.
type completionCommand struct{ bare bool }

func (k *completionCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that completes parley in a shell",
		Long: `Prints the script with which bash, zsh, fish or powershell complete parley: commands and flags, and the
names of agents, messages and threads while a daemon runs. The lines below load it in this shell; docs/start.md
says where it is put for all.`,
		Example: `  . <(parley completion bash)
  source <(parley completion zsh)
  parley completion fish | source
  parley completion powershell | Out-String | Invoke-Expression`,
		ValidArgs: shells,
		Args:      usage(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
	}

	cmd.Flags().BoolVar(&k.bare, "no-descriptions", false, "complete names alone, without what they are")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var script strings.Builder
		if err := writeScript(&script, cmd.Root(), args[0], !k.bare); err != nil {
			return fmt.Errorf("write the script: %w", err)
		}
		if c.out.json {
			return c.out.printJSON(struct {
				parley.Answer
				Shell  string `json:"shell"`
				Script string `json:"script"`
			}{parley.OK, args[0], script.String()})
		}
		_, err := io.WriteString(c.out.out, script.String())
		return err
	}

	return cmd
}

// writeScript writes the script of a shell, with what each word is if described.
func writeScript(w io.Writer, root *cobra.Command, shell string, described bool) error {
	switch {
	case shell == "bash":
		return bashScript(w, root, described)
	case shell == "zsh" && described:
		return root.GenZshCompletion(w)
	case shell == "zsh":
		return root.GenZshCompletionNoDesc(w)
	case shell == "fish":
		return root.GenFishCompletion(w, described)
	case described:
		return root.GenPowerShellCompletionWithDesc(w)
	}
	return root.GenPowerShellCompletion(w)
}

// bashQuote replaces the printf by which cobra's script for bash quotes words. That one puts a backslash before a
// comma too, where nobody types one: then nothing after the comma of several names would be completed.
const bashQuote = `
__parley_quote() {
    local word
    for word in "$@"; do
        printf -v word "%q" "$word"
        printf "%s\n" "${word//\\,/,}"
    done
}
`

// bashScript writes cobra's script for bash, with other quotes.
func bashScript(w io.Writer, root *cobra.Command, described bool) error {
	var script strings.Builder
	if err := root.GenBashCompletionV2(&script, described); err != nil {
		return err
	}

	// One line assigns without a shell of its own, as it runs once for each word.
	const fast = `printf -v comp "%q" "${compline%%$tab*}" &>/dev/null`
	_, err := strings.NewReplacer(
		fast, fast+` && comp=${comp//\\,/,}`,
		`printf "%q\n" `, `__parley_quote `,
		`printf "%q" `, `__parley_quote `,
	).WriteString(w, script.String()+bashQuote)

	return err
}

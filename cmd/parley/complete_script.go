package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"parley"
)

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
		if c.json {
			return c.printJSON(struct {
				parley.Answer
				Shell  string `json:"shell"`
				Script string `json:"script"`
			}{parley.OK, args[0], script.String()})
		}
		_, err := io.WriteString(c.out, script.String())
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

package main

import (
	"strings"

	"github.com/spf13/cobra"
)

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

// quoteInBash corrects the script that completes in bash. The output of root must be set.
func quoteInBash(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd, _, err := root.Find([]string{"completion", "bash"})
	if err != nil {
		return // docs and tests may have no such command
	}

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		bare, err := cmd.Flags().GetBool("no-descriptions")
		if err != nil {
			return err
		}

		var script strings.Builder
		if err := root.GenBashCompletionV2(&script, !bare); err != nil {
			return err
		}

		// One line assigns without a shell of its own, as it runs once for each word.
		const fast = `printf -v comp "%q" "${compline%%$tab*}" &>/dev/null`
		_, err = strings.NewReplacer(
			fast, fast+` && comp=${comp//\\,/,}`,
			`printf "%q\n" `, `__parley_quote `,
			`printf "%q" `, `__parley_quote `,
		).WriteString(root.OutOrStdout(), script.String()+bashQuote)
		return err
	}
}

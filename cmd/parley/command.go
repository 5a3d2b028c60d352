package main

import "github.com/spf13/cobra"

// command is one command of parley, as a value: what it takes, and what it does with that.
type command interface {
	// declare describes the command to cobra. Of what all commands share, it keeps what it needs to run.
	declare(c *cli) *cobra.Command
}

// commands are several commands, in the order of the help.
type commands []command

func (all commands) declare(c *cli) []*cobra.Command {
	var declared []*cobra.Command
	for _, one := range all {
		declared = append(declared, one.declare(c))
	}
	return declared
}

// family is a command that only has others below it.
type family struct {
	use, short, long, example string
	members                   commands
}

func (f family) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     f.use,
		Short:   f.short,
		Long:    f.long,
		Example: f.example,
		Args:    noSuchCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(f.members.declare(c)...)
	return cmd
}

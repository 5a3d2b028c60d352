package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"rsc.io/qr"

	"parley"
	"parley/internal/daemon"
	"parley/plain"
)

// webPage is one run of parley web, with its flags.
type webPage struct {
	cli                                        *cli
	watch, sessions, noOpen, phone, yes, local bool
	revoke, near                               string
}

type webCommand struct{}

func (webCommand) declare(c *cli) *cobra.Command {
	o := &webPage{cli: c}
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Open the team in a browser, also on a phone",
		Long: `Prints a link to the page that the daemon serves, with a QR code, and opens it in a browser where there
is one. The link works once, for five minutes. The browser then has a session with your rights, or with
--watch one that may only look. A session ends after a day without use. --phone lets your other devices reach it,
by Tailscale or else in the network that this machine is in, after one question, and prints the QR code of that
link; --local ends that.`,
		Example: `  parley web
  parley web --phone     # let a phone reach it, and scan the link
  parley web --watch     # a link for a colleague
  parley web --sessions
  parley web --revoke parley_Zm9vYmFy`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case o.sessions:
				return o.list(cmd.Context())
			case o.revoke != "":
				return o.end(cmd.Context(), o.revoke)
			case o.local:
				return o.stayLocal(cmd.Context())
			}
			return o.open(cmd.Context())
		},
	}

	cmd.Flags().BoolVar(&o.watch, "watch", false, "make a session that may only look")
	cmd.Flags().BoolVar(&o.phone, "phone", false, "let your other devices reach the page")
	cmd.Flags().StringVar(&o.near, "near", "", "with --phone: the `ADDRESS` of this machine in the phone's network")
	cmd.Flags().BoolVar(&o.local, "local", false, "let no other device reach the page any more")
	cmd.Flags().BoolVar(&o.yes, "yes", false, "with --phone: do not ask")
	cmd.Flags().BoolVar(&o.sessions, "sessions", false, "list the sessions")
	cmd.Flags().StringVar(&o.revoke, "revoke", "", "end the session with this `ID`")
	cmd.Flags().BoolVar(&o.noOpen, "no-open", false, "open no browser")
	cmd.MarkFlagsMutuallyExclusive("sessions", "revoke", "watch")
	cmd.MarkFlagsMutuallyExclusive("sessions", "revoke", "no-open")
	cmd.MarkFlagsMutuallyExclusive("sessions", "revoke", "phone", "local")

	return cmd
}

func (c *webPage) open(ctx context.Context) error {
	link := func() (*parley.OpenPageResult, error) {
		return call[parley.OpenPageResult](ctx, c.cli, "open_page", url.Values{"watch": {fmt.Sprint(c.watch)}})
	}
	res, err := link()
	if err == nil && c.phone && res.Elsewhere == "" {
		if err = c.reachable(ctx, res.Address); err == nil {
			res, err = link()
		}
	}
	if err != nil {
		return err
	}
	if c.cli.out.json {
		return c.cli.out.printJSON(res)
	}
	if err := c.show(res); err != nil {
		return err
	}

	if c.phone || c.noOpen || c.watch || c.cli.at.host != "" || !isTerminal(c.cli.out.out) {
		return nil
	}
	if err := c.openBrowser(ctx, res.URL()); err != nil {
		c.cli.out.printf("No browser was opened: %s.\n", err)
	}

	return nil
}

// show prints the link. A QR code is for another machine, and stands last with its link: both fit into 80 x 24.
func (c *webPage) show(res *parley.OpenPageResult) error {
	far, may := res.FarURL(), "may do what you may"
	if res.Watch {
		may = "may only look"
	}
	if !c.phone {
		c.cli.out.printf("%s\n", res.URL())
	}
	c.cli.out.printf("The link works once, until %s; who opens it %s.", res.ExpiresAt.Local().Format("15:04"), may)
	if far == "" {
		c.cli.out.printf(" A phone needs a way here first: parley web --phone makes one.\n")
		return nil
	}

	c.cli.out.printf("\n")
	words := c.aboutCertificate(res.Elsewhere)
	if isTerminal(c.cli.out.out) {
		code, err := qrText(far)
		if err != nil {
			return err
		}
		lines := strings.Split(code, "\n")
		for i, w := range words {
			lines[i+1] += "  " + w
		}
		c.cli.out.printf("%s", strings.Join(lines, "\n"))
	} else if len(words) > 0 {
		c.cli.out.printf("%s\n", strings.Join(words, "\n"))
	}
	c.cli.out.printf("From elsewhere: %s\n", far)

	return nil
}

// aboutCertificate returns what to compare where the page has a certificate of its own: short lines, for beside the QR
// code.
func (c *webPage) aboutCertificate(address string) []string {
	at, err := c.cli.at.place()
	if err != nil {
		return nil
	}
	print := daemon.OwnFingerprint(at.Home, address)
	if print == "" {
		return nil
	}
	words := []string{"The browser warns once. Go on if", "its certificate has the SHA-256"}
	for part := range slices.Chunk(strings.Split(print, ":"), 8) {
		words = append(words, strings.Join(part, ":"))
	}
	return words
}

// qrText draws a QR code with half blocks, black on white whatever the terminal's colours are.
func qrText(text string) (string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return "", fmt.Errorf("draw the QR code: %w", err)
	}

	const margin = 2
	var b strings.Builder
	for y := -margin; y < code.Size+margin; y += 2 {
		b.WriteString("\x1b[30;107m")
		for x := -margin; x < code.Size+margin; x++ {
			switch above, below := code.Black(x, y), code.Black(x, y+1); {
			case above && below:
				b.WriteString("█")
			case above:
				b.WriteString("▀")
			case below:
				b.WriteString("▄")
			default:
				b.WriteString(" ")
			}
		}
		b.WriteString("\x1b[0m\n")
	}

	return b.String(), nil
}

// redirect is a file that leads a browser to a link.
const redirect = "<!doctype html>\n<meta charset=\"utf-8\">\n<meta name=\"referrer\" content=\"no-referrer\">\n" +
	"<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<title>parley</title>\n"

// openBrowser opens a link, if this terminal is on a desktop. All users of a machine see the arguments of programs, so
// the browser gets the name of a private file that leads to the link. The file stays until the next one: the code in
// it is then spent, or too old.
func (c *webPage) openBrowser(ctx context.Context, link string) error {
	program := browserProgram(c.cli.at.env)
	if program == "" {
		return nil
	}
	at, err := c.cli.at.place()
	if err != nil {
		return err
	}

	path := filepath.Join(at.Runtime, "web.html")
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, redirect, link), 0o600); err != nil {
		return err
	}

	opener := exec.CommandContext(ctx, program, "file://"+path)
	opener.Env = c.cli.at.env
	if err := opener.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- opener.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(3 * time.Second): // it has become the browser itself
		return opener.Process.Release()
	}
}

// browserProgram returns what opens a browser here, "" over ssh or without a desktop.
func browserProgram(env daemon.Environ) string {
	switch {
	case env.Get("SSH_CONNECTION") != "":
		return ""
	case runtime.GOOS == "darwin":
		return "open"
	case env.Get("DISPLAY")+env.Get("WAYLAND_DISPLAY") != "":
		return "xdg-open"
	}
	return ""
}

// known returns the sessions of the page, and the links that were not opened yet.
func (c *webPage) known(ctx context.Context) ([]parley.Key, error) {
	res, err := call[parley.ListKeysResult](ctx, c.cli, "list_keys", url.Values{"agent": {parley.OperatorName}})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(res.Keys, func(k parley.Key) bool {
		return !k.Origin.OfPage() ||
			k.Expired(c.cli.out.now())
	}), nil
}

func (c *webPage) list(ctx context.Context) error {
	keys, err := c.known(ctx)
	if err != nil {
		return err
	}
	if c.cli.out.json {
		return c.cli.out.printJSON(map[string]any{"success": true, "error": nil, "sessions": keys})
	}
	if len(keys) == 0 {
		return c.cli.out.printLine("There are no sessions. parley web makes one.")
	}

	t := table{fits: []fit{whole, prose, prose, prose, prose}}
	for _, k := range keys {
		used := "not used yet"
		if k.LastUsed != nil {
			used = "used " + c.cli.out.ago(*k.LastUsed) + " ago"
		}
		device := ""
		if k.Device != (parley.Device{}) {
			device = plain.CleanLine(k.Device.Words())
		}
		made := "made " + c.cli.out.ago(k.CreatedAt) + " ago"
		t.add(c.cli.out.paint(bold, k.KeyID), sessionWords(k.Origin), device, made, used)
	}
	t.print(c.cli.out)

	return nil
}

// sessionWords says what a session, or a link that becomes one, may do.
func sessionWords(origin parley.KeyOrigin) string {
	switch origin {
	case parley.KeyWatch:
		return "may only look"
	case parley.KeyPageCode:
		return "link that was not opened"
	case parley.KeyWatchCode:
		return "link that was not opened; may only look"
	}
	return "may do what you may"
}

func (c *webPage) end(ctx context.Context, id string) error {
	keys, err := c.known(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(keys, func(k parley.Key) bool { return k.KeyID == id }) {
		return parley.Errorf(parley.InvalidArgument, "there is no session %s", plain.CleanLine(id)).
			Suggest("parley web --sessions lists them; this one may have ended already.")
	}

	res, err := call[parley.RevokeKeyResult](ctx, c.cli, "revoke_key", url.Values{"key_id": {id}})
	if err != nil {
		return err
	}
	if c.cli.out.json {
		return c.cli.out.printJSON(res)
	}
	return c.cli.out.printLine("The session has ended.")
}

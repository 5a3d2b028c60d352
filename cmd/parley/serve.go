package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"time"

	"parley"
	"parley/httpapi"
	"parley/mcpserver"
	"parley/orchestrator"
	"parley/responder"
	"parley/store"
	"parley/tmux"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// At its end the daemon lets short calls finish before it ends those that wait
// for something, and gives up on the rest when nobody can be waiting any more.
const (
	endShortCalls = 300 * time.Millisecond
	endAllCalls   = 10 * time.Second
)

func (c *cli) serveCommand() *cobra.Command {
	var foreground bool
	var readyFD int
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the daemon (other commands do so by themselves)",
		Example: `  parley serve                 # in the background
  parley serve --foreground    # its log here; Ctrl-C ends it, the agents stay`,
		Args: usage(cobra.NoArgs),
	}

	cmd.Flags().BoolVar(&foreground, "foreground", false, "stay in this terminal and log to it")
	cmd.Flags().IntVar(&readyFD, "ready-fd", 0, "file descriptor to report readiness on")
	_ = cmd.Flags().MarkHidden("ready-fd")
	keys := keysOf(reflect.TypeFor[settings]())
	for _, key := range keys {
		cmd.Flags().String(strings.ReplaceAll(key, "_", "-"), "", settingDoc(key))
	}

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		at, err := c.place()
		if err != nil {
			return err
		}

		given := map[string]string{}
		var flags []string
		for _, key := range keys {
			if f := cmd.Flag(strings.ReplaceAll(key, "_", "-")); f.Changed {
				given[key] = f.Value.String()
				flags = append(flags, "--"+f.Name+"="+f.Value.String())
			}
		}

		if foreground {
			return c.serve(cmd.Context(), at, given, readyFD)
		}

		return c.serveInBackground(cmd.Context(), at, flags)
	}

	return cmd
}

func (c *cli) serveInBackground(ctx context.Context, at place, flags []string) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()

	if err := c.startDaemon(ctx, at, flags...); err != nil {
		return err
	}

	info := runningDaemon(ctx, at)
	if info == nil {
		return parley.Errorf(parley.DaemonUnavailable, "the daemon ended as soon as it was ready").
			Suggest("Look at the last lines of %s.", at.log())
	}

	if c.json {
		return c.printJSON(struct {
			parley.Answer
			*daemonInfo
		}{parley.OK, info})
	}

	return c.printLine(fmt.Sprintf("The daemon of %s runs (pid %d).", at.root, info.PID))
}

// serve is the daemon: it returns when a signal or shut_down ended it.
func (c *cli) serve(ctx context.Context, at place, flags map[string]string, readyFD int) error {
	ready := readyPipe(readyFD)
	d := &daemon{cli: c, at: at, background: ready != nil, log: slog.New(slog.NewTextHandler(c.err, nil))}

	// A terminal that is closed ends it in the same good order as Ctrl-C.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()

	ctx, d.end = context.WithCancel(ctx)
	defer d.end()

	err := d.open(ctx, flags)
	tellReady(ready, err)
	if err != nil {
		return errors.Join(err, d.close())
	}

	d.log.Info("ready", "version", buildVersion(), "workspace", at.root, "socket", at.socket(), "http", d.info.HTTP)
	err = d.run(ctx)
	d.log.Info("ended")

	return errors.Join(err, d.close())
}

// readyPipe is the pipe to the process that started this one. It must not
// reach children: its end is what that process waits for.
func readyPipe(fd int) *os.File {
	if fd <= 2 {
		return nil
	}
	unix.CloseOnExec(fd)
	return os.NewFile(uintptr(fd), "readiness")
}

// daemon is what `parley serve` holds while it runs.
type daemon struct {
	*cli
	at         place
	background bool // its log is a file
	log        *slog.Logger
	end        context.CancelFunc
	info       parley.WorkspaceStatusResult

	lock         *os.File
	unix, tcp    net.Listener
	store        *store.Store
	orchestrator *orchestrator.Orchestrator
	settings     settings
	toolsets     map[string]string // of agents, by name
	server       *http.Server
}

// open takes everything that can be refused, cheapest first.
func (d *daemon) open(ctx context.Context, flags map[string]string) error {
	if err := d.at.prepare(); err != nil {
		return err
	}

	var err error
	if d.lock, err = lockDaemon(d.at); err != nil {
		return err
	}
	if err := ignoreMissing(os.Remove(d.at.info())); err != nil { // a dead daemon's
		return err
	}

	t, err := loadTeam(d.at.team(), false)
	if err != nil {
		return err
	}
	if err := t.Settings.overrideFrom(d.env); err != nil {
		return err
	}

	for key, text := range flags {
		if err := t.Settings.override(key, text, "--"+key); err != nil {
			return err
		}
	}

	d.settings, d.toolsets = t.Settings, t.toolsets()
	if d.unix, err = listenUnix(d.at); err != nil {
		return err
	}
	if d.tcp, err = listenTCP(d.at, t.Settings); err != nil {
		return err
	}
	if d.store, err = store.Open(ctx, store.Options{Path: d.at.database(), Log: d.log}); err != nil {
		return err
	}

	return d.openService(ctx, t)
}

// openService starts the service and writes down where it is reached.
func (d *daemon) openService(ctx context.Context, t *team) error {
	profiles, err := t.profiles()
	if err != nil {
		return err
	}

	host, err := os.Hostname()
	if err != nil {
		return fmt.Errorf("ask for the host's name: %w", err)
	}

	d.info = parley.WorkspaceStatusResult{
		Version:   buildVersion(),
		Workspace: d.at.root,
		PID:       os.Getpid(),
		StartedAt: d.now(),
		Socket:    d.at.socket(),
		HTTP:      "http://" + d.tcp.Addr().String(),
		Database:  d.at.database(),
	}

	if d.background {
		d.info.Log = d.at.log()
	}

	d.orchestrator, err = orchestrator.New(ctx, orchestrator.Options{
		Store:    d.store,
		Tmux:     tmux.Options{Name: d.at.tmuxName(), Env: d.env.scrubbed(), Dir: d.at.runtime},
		Profiles: profiles, Workspace: d.at.root, LaunchDir: d.at.launch, Executable: d.executable, Spool: d.at.spool(), Host: host,
		State: filepath.Dir(
			d.at.database(),
		), Private: []string{filepath.Dir(d.at.launch)}, // that of other workspaces too
		Settings: orchestrator.Settings{
			MaxText:                t.Settings.MaxText,
			ShortFooter:            t.Settings.Footer == "short",
			ExpireAfter:            t.Settings.ExpireAfter,
			StuckAfter:             t.Settings.StuckAfter,
			DraftAfter:             t.Settings.DraftAfter,
			OwesAfter:              t.Settings.OwesAfter,
			AutoSteer:              t.Settings.AutoSteer,
			MaxFile:                int64(t.Settings.MaxFileMB) * bytesPerMB,
			MessagesPerMinute:      t.Settings.MessagesPerMinute,
			BroadcastsPerMinute:    t.Settings.BroadcastsPerMinute,
			RegistrationsPerMinute: t.Settings.RegistrationsPerMinute,
			ResponseDeadline:       t.Settings.ResponseDeadline,
			RemindBefore:           t.Settings.RemindBefore,
			TellSenderAfter:        t.Settings.TellSenderAfter,
			OverdueAfter:           t.Settings.OverdueAfter,
			ModelTimeout:           t.Settings.ModelTimeout,
			ModelCalls:             t.Settings.ModelCalls,
			Conversation:           t.Conversation.budgets(),
		},
		Model: responder.New(responder.Options{Getenv: d.env.get}), Responders: t.declared(),
		Info: d.info, ShutDown: d.end, Now: d.now, Log: d.log,
	})
	if err != nil {
		return err
	}

	return d.writeInfo()
}

// writeInfo tells clients where the daemon is, in one step.
func (d *daemon) writeInfo() error {
	b, err := json.Marshal(
		daemonInfo{
			PID:           d.info.PID,
			Socket:        d.info.Socket,
			HTTP:          d.info.HTTP,
			Version:       d.info.Version,
			StartedAt:     d.info.StartedAt,
			Toolsets:      d.settings.MCPToolsets,
			AgentToolsets: d.toolsets,
		},
	)
	if err != nil {
		return fmt.Errorf("encode %s: %w", d.at.info(), err)
	}

	part := d.at.info() + ".part"
	if err := os.WriteFile(part, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("write where the daemon is: %w", err)
	}

	return os.Rename(part, d.at.info())
}

// run serves until ctx ends, then ends the calls in good order.
func (d *daemon) run(ctx context.Context) error {
	calls, endCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer endCalls()

	sets, own, err := offered(d.settings.MCPToolsets, d.toolsets)
	if err != nil {
		return err
	}

	mcp := mcpserver.Handler(
		mcpserver.Options{
			Service:      d.orchestrator,
			Authenticate: d.orchestrator.Authenticate,
			Version:      buildVersion(),
			Log:          d.log,
			Toolsets:     sets,
			Agents:       own,
		},
	)

	api := httpapi.New(d.door(mcp))
	d.server = &http.Server{
		Handler:           api,
		BaseContext:       func(net.Listener) context.Context { return calls },
		ConnContext:       markPeer(d.orchestrator),
		ReadHeaderTimeout: 10 * time.Second,
		ErrorLog:          slog.NewLogLogger(d.log.Handler(), slog.LevelWarn),
	}

	failed := make(chan error, 2)
	for _, l := range []net.Listener{d.unix, d.tcp} {
		go func() { failed <- d.server.Serve(l) }()
	}

	ended := 0
	select {
	case <-ctx.Done():
	case err = <-failed:
		ended++
	}

	err = errors.Join(err, ignoreMissing(os.Remove(d.at.info()))) // from here on it does not answer
	d.orchestrator.StopAnswering()
	endWaits := time.AfterFunc(endShortCalls, endCalls)
	defer endWaits.Stop()

	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), endAllCalls)
	defer cancel()

	if d.server.Shutdown(deadline) != nil {
		_ = d.server.Close() // what is left has had its time
	}

	endCalls()
	api.Close()
	for ; ended < 2; ended++ {
		<-failed
	}

	return errors.Join(err, mcp.Close(deadline))
}

// totals counts for /metrics.
func (d *daemon) totals(ctx context.Context) (httpapi.Totals, error) {
	t, err := d.store.Totals(ctx)
	return httpapi.Totals(t), err
}

// close gives back what open took, in the opposite order. The lock goes last:
// whoever gets it finds everything else free.
func (d *daemon) close() error {
	var errs []error
	if d.orchestrator != nil {
		errs = append(errs, d.orchestrator.Close())
	}
	if d.store != nil {
		errs = append(errs, d.store.Close())
	}

	for _, l := range []net.Listener{d.unix, d.tcp} {
		if l != nil {
			_ = l.Close() // the server has closed it, if it served
		}
	}

	if d.lock != nil {
		errs = append(errs, ignoreMissing(os.Remove(d.at.runtime)), d.lock.Close())
	}

	return errors.Join(errs...)
}

// ignoreMissing is nil also where there was nothing, or where something of
// others is left in a directory.
func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) {
		return nil
	}
	return err
}

// Package daemon runs parley's daemon: it reads the settings, opens the store,
// starts the service, and lets the faces listen. It also finds the daemon of a
// workspace and starts it for the commands that need one.
package daemon

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"parley"
	"parley/httpapi"
	"parley/internal/disk"
	"parley/internal/notify"
	"parley/internal/place"
	"parley/orchestrator"
	"parley/orchestrator/needs"
	"parley/orchestrator/responder"
	"parley/orchestrator/settings"
	"parley/store"
	"parley/tmux"
)

// endShortCalls is the time that short calls get to finish when the daemon ends. Then it
// ends the calls that wait for something.
const endShortCalls = 300 * time.Millisecond

// EndWithin bounds the end of a daemon. No client waits longer for its answer.
const EndWithin = 10 * time.Second

// Options configures Serve.
type Options struct {
	Place      place.Place
	Flags      map[string]string // settings given on the command line, by key
	Env        Environ
	Ignored    []string // what of its start the daemon does not take; see Beginning
	Proven     bool     // the operator starts it
	Executable string   // parley itself, which agents are started through
	Version    string
	ReadyFD    int // descriptor to report readiness on; 0: none
	Log        io.Writer
	Now        func() time.Time

	// Workspaces looks at all workspaces of the user on this machine, for the page. If nil, the page has none.
	Workspaces func(context.Context) []parley.KnownWorkspace
}

// Serve runs the daemon until a signal, shut_down or ctx ends it.
func Serve(ctx context.Context, opts Options) error {
	ready := readyPipe(opts.ReadyFD)
	d := &daemon{Options: opts, background: ready != nil}
	if d.background {
		log := &logFile{path: opts.Place.Log(), max: maxLog}
		defer log.Close()
		d.Log = log
	}
	d.log = slog.New(slog.NewTextHandler(d.Log, nil))

	// A closed terminal ends it in the same good order as Ctrl-C.
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGHUP)
	defer stop()

	ctx, d.end = context.WithCancel(ctx)
	defer d.end()

	err := d.open(ctx)
	reportReady(ready, err)
	if err != nil {
		return errors.Join(err, d.close())
	}

	d.log.Info("ready",
		"version", d.Version, "workspace", d.Place.Root, "socket", d.Place.Socket(), "http", d.info.HTTP)
	err = d.run(ctx)
	d.log.Info("ended")

	return errors.Join(err, d.close())
}

// daemon holds the daemon's resources while it runs.
type daemon struct {
	Options
	background bool // its log is a file
	log        *slog.Logger
	end        context.CancelFunc
	info       parley.WorkspaceStatusResult

	lock         *os.File
	unix         *socketListener
	own          *agentSockets
	tcp          net.Listener
	near         net.Listener // at an address of this machine, by TLS; nil for none
	store        *store.Store
	orchestrator *orchestrator.Orchestrator
	settings     Settings
	toolsets     map[string]string // of agents, by name
	web          settings.PageSettings
	moved        bool          // the page has another port than before
	withheld     string        // the parts of parley.yaml that it ignores; "" for none
	told         string        // what its status says has happened to the workspace; "" for nothing
	wrong        []parley.Need // what is out of order, and not worth refusing to start
	server       *http.Server
}

// open acquires everything that can be refused, cheapest first.
func (d *daemon) open(ctx context.Context) error {
	if err := d.Place.Prepare(); err != nil {
		return err
	}

	var err error
	if d.lock, err = d.Place.Lock().Take(); err != nil {
		return err
	}
	if err := disk.IgnoreMissing(os.Remove(d.Place.Info())); err != nil { // left by a crash
		return err
	}

	t, err := d.readTeam()
	if err != nil {
		return err
	}
	d.settings, d.toolsets, d.withheld = t.Settings, t.toolsets(), t.WithheldWords()
	for _, e := range t.LeftOut {
		d.notes(e, "parley down --keep-agents", " The next daemon looks again; the agents stay.")
	}

	t.Web.URL = cmp.Or(t.Web.URL, servedAt(d.Place.State(servedFile),
		cmp.Or(t.Settings.HTTPPort, KeptPort(d.Place.Port()))))
	d.web = t.Web
	secret, err := certificateOf(&d.web, d.Place.Root)
	if err != nil {
		return err
	}
	if d.unix, err = listenUnix(ctx, d.Place); err != nil {
		return err
	}
	var moved *parley.Error
	before := KeptPort(d.Place.Port())
	if d.tcp, moved, err = listenTCP(d.Place, t.Settings); err != nil {
		return err
	}
	d.moved, err = keepPort(d.Place.Port(), d.tcp, before)
	if err != nil {
		return err
	}
	d.notes(moved, "parley web", "")
	t.Web.URL = d.goNear()
	d.tcp = secure(d.tcp, secret)
	if err := d.openStore(ctx); err != nil {
		return err
	}

	return d.openService(ctx, t)
}

// readTeam reads the user's and the workspace's parley.yaml. The environment overrides
// their settings, and flags override all.
func (d *daemon) readTeam() (*Team, error) {
	t, err := Load(d.Place, d.Env)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(t.Settings.Override(d.Env), t.Attach.Override(d.Env)); err != nil {
		return nil, err
	}

	for _, f := range SettingFields() {
		text, given := d.Flags[f.Name]
		if !given {
			continue
		}
		if err := t.Settings.set(f, text, "--"+f.Name); err != nil {
			return nil, err
		}
	}

	return t, nil
}

// openService starts the service and publishes the daemon's address.
func (d *daemon) openService(ctx context.Context, t *Team) error {
	profiles, err := t.ProfileSet()
	if err != nil {
		return err
	}

	host, err := t.Settings.HostName()
	if err != nil {
		return err
	}

	operatorKey, err := d.Env.operatorKey(d.Now())
	if err != nil {
		return err
	}

	own := tmux.Options{Path: d.Place.TmuxSocket(), Env: d.Env.ForTmux(), View: t.Attach.view()}
	if tmux.CanKeep {
		own.Keeper = []string{d.Executable, tmux.KeepCommand}
	}

	codes := &notify.AnswerCodes{Now: d.Now}
	d.info = d.status()
	d.info.Programs = installed(profiles)
	d.own = newAgentSockets(d.Place, d.address)
	devices, err := notify.OpenDevices(filepath.Join(d.Place.Home, "devices.json"))
	if err != nil {
		d.log.Error("notices are pushed to no device", "error", err)
		devices = nil
	}
	notices := notify.Options{
		Settings: t.Notify, Workspace: d.Place.Root, Host: host, Getenv: d.Env.Get, Env: d.Env.Scrubbed(),
		Now: d.Now, Log: d.log, Page: t.Web.URL, Code: codes.New,
	}
	settings := t.service()
	settings.Checks = place.ChecksDir(d.Env)
	d.orchestrator, err = orchestrator.New(ctx, orchestrator.Options{
		Store:      d.store,
		Tmux:       own,
		Profiles:   profiles,
		Workspace:  d.Place.Root,
		LaunchDir:  d.Place.Home,
		Executable: d.Executable, State: d.Place.Home,
		Private:  []string{filepath.Dir(d.Place.Home)}, // of other workspaces too
		Spool:    d.Place.Spool(),
		Boundary: d.boundary(),
		Host:     host, Settings: settings,
		Daemon:     orchestrator.Daemon{Info: d.info, ShutDown: d.end, Wrong: d.wrong, Kept: d.Env.kept()},
		Now:        d.Now,
		Log:        d.log,
		Model:      responder.New(responder.Options{Getenv: d.Env.Get}),
		Responders: t.Declared(),
		Costs:      t.costs(),
		Away: needs.Away{
			Codes:    codes,
			Notifier: notify.New(notices),
			Push:     notify.NewPush(notices, devices, cmp.Or(t.Web.URL, "mailto:operator@parley.invalid")),
			Devices:  devices,
		},

		OperatorKey: operatorKey,
	})
	if err != nil {
		return err
	}

	if d.moved {
		if err := d.orchestrator.Keys.EndPage(ctx); err != nil {
			return err
		}
	}
	if err := d.remember(); err != nil {
		d.log.Error("remember how the daemon was started", "error", err)
	}

	return d.publish()
}

// status returns what the daemon knows of itself.
func (d *daemon) status() parley.WorkspaceStatusResult {
	info := parley.WorkspaceStatusResult{
		Version:   d.Version,
		Workspace: d.Place.Root,
		PID:       os.Getpid(),
		StartedAt: d.Now(),
		Socket:    d.Place.Socket(),
		HTTP:      "http://" + d.tcp.Addr().String(),
		Database:  d.place(),
		Ignored:   d.Ignored,
	}

	if d.background {
		info.Log = d.Place.Log()
	}
	info.Warnings = d.warnings()

	return info
}

// A connection may be idle between two calls for idleConnection; clients open another. The header
// of a request has maxHeader bytes at most: keys and names are short.
const (
	idleConnection = 2 * time.Minute
	maxHeader      = 32 << 10
)

// run serves until ctx ends, then ends the calls in good order.
func (d *daemon) run(ctx context.Context) error {
	calls, endCalls := context.WithCancel(context.WithoutCancel(ctx))
	defer endCalls()

	mcp, err := d.mcp()
	if err != nil {
		return err
	}

	open := &connections{bounds: boundsFor(descriptors())}
	options := d.http(mcp)
	options.Connections = open
	api := httpapi.New(options)
	d.server = &http.Server{
		Handler:           api,
		BaseContext:       func(net.Listener) context.Context { return calls },
		ConnContext:       markPeer(d.orchestrator.Callers, open),
		ConnState:         open.note,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       idleConnection,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(d.log.Handler(), slog.LevelWarn),
	}

	listeners := d.listeners()
	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { failed <- d.server.Serve(arrivals{l}) }()
	}

	var watching sync.WaitGroup
	watch, endWatch := context.WithCancel(ctx)
	defer endWatch()
	watching.Go(func() { d.watchPlace(watch) })

	ended, vanished := 0, false
	select {
	case <-ctx.Done():
	case <-d.store.Workspace.Vanished():
		vanished = true
		d.log.Error("the database was removed or replaced, and is saved: the next daemon goes on with it")
	case err = <-failed:
		ended++
	}

	// From here on the daemon takes no new calls.
	endWatch()
	watching.Wait()
	if d.hold() != nil { // what stands there is another daemon's
		d.unix.keepName()
	} else {
		if vanished { // the notes tell the next one where that is
			err = errors.Join(err, d.Place.Prepare())
		}
		err = errors.Join(err, disk.IgnoreMissing(os.Remove(d.Place.Info())))
	}
	d.orchestrator.StopAnswering()
	endWaits := time.AfterFunc(endShortCalls, endCalls)
	defer endWaits.Stop()

	deadline, cancel := context.WithTimeout(context.WithoutCancel(ctx), EndWithin)
	defer cancel()

	if d.server.Shutdown(deadline) != nil {
		_ = d.server.Close() // the remaining calls have had their time
	}

	endCalls()
	api.Close()
	for ; ended < len(listeners); ended++ {
		<-failed
	}

	return errors.Join(err, mcp.Close(deadline))
}

// close releases what open acquired, in the opposite order. The lock goes last:
// its next holder finds everything else free.
func (d *daemon) close() error {
	var errs []error
	if d.orchestrator != nil {
		errs = append(errs, d.orchestrator.Close())
	}
	if d.store != nil {
		errs = append(errs, d.store.Close())
	}

	if d.unix != nil {
		_ = d.unix.Close() // the server has closed it, if it served
	}
	if d.own != nil {
		_ = d.own.Close()
	}
	d.closePorts()

	errs = append(errs, forgetNotice(d.Place.Notice(), d.told))
	if d.lock != nil {
		errs = append(errs, d.lock.Close())
	}

	return errors.Join(errs...)
}

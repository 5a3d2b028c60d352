// Command machines runs one team on three hosts that share a database, and writes
// docs/measured/machines.md: what becomes of messages while daemons and the server are killed, how long a
// message takes from one host to another, how many are admitted, and what idle hosts cost. The hosts are
// daemons of one machine, each with a home, a directory and a tmux server to itself.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// plan is how much is run.
type plan struct {
	messages int
	agents   int
	kills    int
	crashes  int
	timed    int // messages whose time is measured, on each way
	idlers   int // hosts that are idle
	rows     int // agents of the idle hosts
	fleet    int // hosts whose daemons work
	each     int // agents of each of them
	second   time.Duration
	only     string
}

func main() {
	log.SetFlags(log.Ltime)
	log.SetPrefix("machines: ")
	var p plan
	flag.IntVar(&p.messages, "n", 10_000, "messages of the storm")
	flag.IntVar(&p.agents, "agents", 60, "agents of the storm, over three hosts")
	flag.IntVar(&p.kills, "kills", 50, "daemons that are killed in the storm")
	flag.IntVar(&p.crashes, "crashes", 20, "immediate stops of the server in the storm")
	flag.IntVar(&p.timed, "timed", 300, "messages whose way is timed")
	flag.IntVar(&p.idlers, "hosts", 200, "idle hosts")
	flag.IntVar(&p.rows, "rows", 5_000, "agents of the idle hosts")
	flag.IntVar(&p.fleet, "fleet", 20, "hosts with a daemon and quiet agents")
	flag.IntVar(&p.each, "each", 50, "agents of each of these")
	flag.DurationVar(&p.second, "for", 10*time.Second, "how long messages are admitted, in each way")
	flag.StringVar(&p.only, "only", "", "run one part: storm, way, admission, idle or fleet. No page is written then")
	parley := flag.String("parley", "./parley", "the program")
	page := flag.String("page", "docs/measured/machines.md", "the page to write")
	reader := flag.String("reader", "", "be a program in a terminal, and log to this file what is typed")
	flag.Parse()
	if *reader != "" {
		log.Fatal(readTerminal(os.Stdin, *reader))
	}

	program, err := filepath.Abs(*parley)
	if err == nil {
		err = os.Setenv("PATH", filepath.Dir(program)+":"+os.Getenv("PATH"))
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM) // all is ended then, too
		err = run(ctx, p, *page)
		stop()
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run runs the parts one after the other, and writes the page.
func run(ctx context.Context, p plan, page string) error {
	parts := []struct {
		name string
		run  func(context.Context, plan) (string, error)
	}{{"storm", storm}, {"way", way}, {"admission", admission}, {"idle", idle}, {"fleet", fleet}}

	words := []string{"<<each>>", strconv.Itoa(p.each), "<<date>>", time.Now().UTC().Format(time.DateOnly), "<<machine>>", machine()}
	for _, part := range parts {
		if p.only != "" && p.only != part.name {
			continue
		}
		said, err := part.run(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
		log.Printf("%s, with a load of %s:\n%s", part.name, load(), said)
		words = append(words, "<<"+part.name+">>", strings.TrimSpace(said), "<<"+part.name+" load>>", load())
	}
	if p.only != "" {
		return nil
	}

	return os.WriteFile(page, []byte(strings.NewReplacer(words...).Replace(frame)), 0o644)
}

//go:embed page.md
var frame string

// machine describes what the run had.
func machine() string {
	tmux, _ := exec.Command("tmux", "-V").Output() // where it is missing, nothing runs
	return fmt.Sprintf("%d cores, %s, PostgreSQL with `fsync=on`", runtime.NumCPU(), strings.TrimSpace(string(tmux)))
}

// load returns how many programs want to run at once, "?" where that is not known.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	return strings.Fields(string(text))[0]
}

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"parley"
	"parley/client"
	"parley/internal/testhome"
	"parley/op"
	"parley/store"
	"parley/store/postgrestest"
)

// crowd is how many callers each writer has when messages are admitted in batches.
const crowd = 64

// admission counts what three writers admit together, each message durable before its sender is told: by their
// stores alone, and by the whole daemons.
func admission(ctx context.Context, p plan) (said string, err error) {
	var b strings.Builder
	b.WriteString("| by | writers | one caller each | 64 callers each |\n|---|---:|---:|---:|\n")

	t, err := openTeam(true, "ann", "bob", "cleo")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	file, err := openTeam(false, "alone")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.close()) }()

	if err := storesAdmit(ctx, p, t.server, &b); err != nil {
		return "", err
	}
	for _, d := range []struct {
		words string
		*team
		hosts []*host
	}{{"daemons, the server", t, t.hosts}, {"a daemon, the server", t, t.hosts[:1]},
		{"a daemon, its file", file, file.hosts}} {
		if err := d.admit(ctx, p, d.words, d.hosts, &b); err != nil {
			return "", err
		}
	}

	return b.String(), nil
}

// storesAdmit counts what stores admit without the rest of a daemon.
func storesAdmit(ctx context.Context, p plan, server *postgrestest.Server, b *strings.Builder) error {
	url, err := server.Create("admission")
	if err != nil {
		return err
	}
	var stores []*store.Store
	for n := range 3 {
		s, err := openStore(ctx, url, fmt.Sprint("writer-", n), nil)
		if err != nil {
			return err
		}
		defer s.Close()
		stores = append(stores, s)
	}
	to := mailbox("reader")
	if err := stores[0].Agents.CreateAgent(ctx, to, nil); err != nil {
		return err
	}

	write := func(n int) error {
		_, err := stores[n].Messages.Append(ctx, postTo(to.ID, to.ID))
		return err
	}
	return tell(ctx, p, "stores, the server", len(stores), write, b)
}

// openStore opens a host's part of a database, which follows the others.
func openStore(ctx context.Context, url, host string, f store.Follower) (*store.Store, error) {
	s, err := store.Open(ctx, store.Options{URL: url, Host: host, Path: filepath.Join("/nowhere", host, "parley.db")})
	if err == nil && f == nil {
		f = func(*store.News) {}
	}
	if err == nil {
		s.Hosts.Follow(f)
	}
	return s, err
}

func mailbox(name string) parley.Agent {
	return parley.Agent{ID: uuid.NewString(), Name: name, Kind: parley.KindMailbox, State: parley.StateIdle}
}

// postTo returns a message of ordinary length.
func postTo(from, to string) store.Post {
	return store.Post{
		Message: parley.Message{ID: uuid.NewString(), Kind: parley.KindDirect, Type: parley.TypeInformation,
			Priority: parley.PriorityNormal, SenderID: from, Text: strings.Repeat("0123456789 ", 18)},
		Event: parley.EventDirectMessage,
		Deliveries: []store.NewDelivery{
			{RecipientID: to, State: parley.DeliveryRead, Cause: parley.ProofStored.With("")},
		},
	}
}

// admit counts what daemons admit.
func (t *team) admit(ctx context.Context, p plan, words string, hosts []*host, b *strings.Builder) error {
	_, err := op.RegisterAgent.Call(ctx, hosts[0].client,
		parley.RegisterAgentRequest{Username: "reader-" + fmt.Sprint(len(hosts))})
	if err != nil {
		return err
	}
	if err := t.awaitAgent(ctx, "reader-"+fmt.Sprint(len(hosts))); err != nil {
		return err
	}

	var clients []*client.Client
	for _, h := range hosts {
		info, err := h.info()
		if err != nil {
			return err
		}
		c := client.New(client.Options{Socket: info.Socket, Key: testhome.OperatorKey})
		defer c.Close()
		clients = append(clients, c)
	}
	write := func(n int) error {
		_, err := op.SendMessage.Call(ctx, clients[n], parley.SendMessageRequest{
			To: parley.Names{"reader-" + fmt.Sprint(len(hosts))}, Text: strings.Repeat("0123456789 ", 18),
		})
		return err
	}
	return tell(ctx, p, words, len(hosts), write, b)
}

// tell writes a row: what writers admit with one caller each, and with many.
func tell(ctx context.Context, p plan, words string, writers int, write func(int) error, b *strings.Builder) error {
	single, err := rate(ctx, p.second, writers, 1, write)
	if err != nil {
		return err
	}
	batched, err := rate(ctx, p.second, writers, crowd, write)
	fmt.Fprintf(b, "| %s | %d | %.0f/s | %.0f/s |\n", words, writers, single, batched)
	return err
}

// rate returns how many writes a second are done by writers with so many callers each.
func rate(ctx context.Context, span time.Duration, writers, callers int, write func(int) error) (float64, error) {
	var done atomic.Int64
	begun := time.Now()
	all, ctx := errgroup.WithContext(ctx)
	for n := range writers * callers {
		all.Go(func() error {
			for ctx.Err() == nil && time.Since(begun) < span {
				if err := write(n % writers); err != nil {
					return err
				}
				done.Add(1)
			}
			return nil
		})
	}
	err := all.Wait()
	return float64(done.Load()) / time.Since(begun).Seconds(), err
}

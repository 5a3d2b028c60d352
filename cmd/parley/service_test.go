package main

import (
	"context"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/parleytest"
	"parley/internal/testhome"
	"parley/op"
)

// running is a running daemon as its clients see it. The contexts name the caller for the
// checks on this side; the daemon identifies it by the connection.
type running struct{ socket string }

func (r running) Operator() (parley.Service, context.Context) {
	c := client.New(client.Options{Socket: r.socket, Key: operatorKey})
	return c, parley.WithCaller(context.Background(),
		parley.Caller{ID: "the operator's", Name: parley.OperatorName, Operator: true})
}

func (r running) As(t *testing.T, name string) (parley.Service, context.Context) {
	t.Helper()
	operator, ctx := r.Operator()
	res := must.Have(op.RegisterAgent.Call(ctx, operator, parley.RegisterAgentRequest{Username: name}))(t)
	return client.New(client.Options{Socket: r.socket, Key: res.APIKey}),
		parley.WithCaller(context.Background(), parley.Caller{ID: res.AgentID, Name: name})
}

// The suite of the orchestrator, through the client, the socket and the daemon.
func TestServiceOverTheSocket(t *testing.T) {
	t.Parallel()
	parleytest.Suite(t, func(t *testing.T) parleytest.Team { return serveHere(t) })
}

// serveHere runs a daemon in this process: to start and to end one as a program takes twice as long as most cases.
func serveHere(t *testing.T) running {
	t.Helper()
	executable := must.Have(exec.LookPath("parley"))(t)
	h := must.Have(testhome.At(t.TempDir()))(t)
	t.Cleanup(func() { os.RemoveAll(h.Dir) })
	prepareDatabase(t, h)
	at, ended := placeOf(h), make(chan error, 1)
	go func() {
		ended <- daemon.Serve(context.Background(), daemon.Options{Place: at, Env: h.Env, Proven: true,
			Executable: executable, Version: "test", Log: t.Output(), Now: time.Now})
	}()
	must.Become(t, "the daemon runs", func() bool { return len(ended) > 0 || daemon.Running(t.Context(), at) != nil })

	team := running{at.Socket()}
	t.Cleanup(func() {
		service, operator := team.Operator()
		_, err := op.ShutDown.Call(operator, service, parley.ShutDownRequest{})
		must.Do(t, errors.Join(err, must.Come(t, "the daemon's end", ended)))
	})

	return team
}

// A property list says each word as it is, whatever stands in it.
func TestPropertyListOfLaunchd(t *testing.T) {
	for _, root := range []string{"/home/ann/shop", `/home/ann/a 100% "shop" & <co>`, "/home/ann/it's\nnew $1"} {
		env := daemon.Environ{"PATH=/bin:/a<b", "HOME=/home/ann"}
		text := plistText("parley-1f", "/opt/parley & co", root, "/log", env)

		var words []string
		for in, d := "", xml.NewDecoder(strings.NewReader(text)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			must.Do(t, err)
			switch token := token.(type) {
			case xml.StartElement:
				in = token.Name.Local
				if in == "true" || in == "false" {
					words = append(words, in)
				}
			case xml.CharData:
				if in == "key" || in == "string" {
					words = append(words, string(token))
				}
			case xml.EndElement:
				in = ""
			}
		}

		want := []string{"Label", "parley-1f",
			"ProgramArguments", "/bin/sh", "-c", serveAndBringBack, "/opt/parley & co", root,
			"EnvironmentVariables", "PATH", "/bin:/a<b", "RunAtLoad", "true", "KeepAlive", "SuccessfulExit", "false",
			"AbandonProcessGroup", "true", "StandardErrorPath", "/log"}
		if !slices.Equal(words, want) {
			t.Errorf("got %q, want %q", words, want)
		}
	}
}

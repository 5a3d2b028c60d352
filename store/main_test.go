package store

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"parley"
)

// childVar makes the test binary a program that a test starts. Its value is the job; the
// database is in another variable.
const childVar = "PARLEY_STORE_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childVar); job != "" {
		if err := child(job, os.Getenv(childVar+"_DB")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

func child(job, path string) error {
	if job == "record" {
		return serveRecorded(path)
	}

	ctx := context.Background()
	s, err := Open(ctx, Options{Path: path})
	if err != nil {
		return err
	}

	switch job {
	case "append":
		return appendForever(ctx, s)
	case "quiet":
		if err := s.CreateAgent(ctx, testAgent(1), nil); err != nil {
			return err
		}
		if err := s.CreateAgent(ctx, testAgent(1), nil); parley.ErrorCode(err) != parley.AgentExists {
			return fmt.Errorf("a second agent of that name: %v", err)
		}
		if _, err := s.Append(ctx, post(2, 1)); parley.ErrorCode(err) != parley.AgentNotFound {
			return fmt.Errorf("a message of an unknown agent: %v", err)
		}
	}

	return s.Close()
}

// appendForever stores messages from four senders at a time, and prints the ID of each
// when it is acknowledged.
func appendForever(ctx context.Context, s *Store) error {
	failed := make(chan error)
	for range 4 {
		go func() {
			for {
				done, err := s.Append(ctx, post(0, 1))
				if err != nil {
					failed <- err
					return
				}
				fmt.Println(done.Message.ID)
			}
		}()
	}

	return <-failed
}

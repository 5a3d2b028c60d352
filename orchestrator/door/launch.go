package door

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// Launch is what one launch opened its program's entrance with. Only the user can read it.
type Launch struct {
	Port   int    `json:"port"`   // on loopback, for a program that listens where it is told
	Secret string `json:"secret"` // the password of its entrance
}

// launchFile is its name in the agent's private directory.
const launchFile = "door.json"

// NewLaunch chooses a port that is free now, for an entrance with this password.
func NewLaunch(secret string) (Launch, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return Launch{}, fmt.Errorf("choose a port for an entrance: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port

	return Launch{Port: port, Secret: secret}, l.Close()
}

// Write keeps what the entrance was opened with in the agent's private directory, for this daemon and a later one.
func (l Launch) Write(dir string) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return writePrivate(dir, launchFile, text)
}

// readLaunch returns what the launch of a program wrote. It is ErrClosed if that opened no entrance.
func readLaunch(dir string) (l Launch, err error) {
	if dir == "" {
		return l, closed("parley has not launched the program")
	}

	text, err := os.ReadFile(filepath.Join(dir, launchFile))
	if errors.Is(err, os.ErrNotExist) {
		return l, closed("its launch opened no entrance")
	}
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		return l, closed("read how its launch opened the entrance: %w", err)
	}

	return l, nil
}

// writePrivate writes a file that only the user can read, whole or not at all.
func writePrivate(dir, name string, text []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}

	file, err := os.CreateTemp(dir, "."+name) // 0600
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}

	return nil
}

// closed returns an error that is ErrClosed, with its reason.
func closed(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrClosed)...)
}

// notNow returns an error that is ErrNotNow, with its reason.
func notNow(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrNotNow)...)
}

package door

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"parley/internal/disk"
)

// Launch is what one launch opened its program's door with. Only the user can read it.
type Launch struct {
	Port   int    `json:"port"`   // on loopback, for a program that listens where it is told
	Socket string `json:"socket"` // in a directory of the launch, where an extension of parley's listens
	Secret string `json:"secret"` // the password of its door
}

// launchFile is its name in the agent's private directory.
const launchFile = "door.json"

// NewLaunch chooses where a door of a kind listens, which asks for this password: on a port that is free now, or
// in a directory that is made for it in the program's runtime directory.
func NewLaunch(kind, secret, runtime string) (Launch, error) {
	if kind == "extension" {
		dir, err := os.MkdirTemp(runtime, "parley-door-") // 0700
		if err != nil {
			return Launch{}, fmt.Errorf("choose a socket for a door: %w", err)
		}
		return Launch{Socket: filepath.Join(dir, "door.sock"), Secret: secret}, nil
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return Launch{}, fmt.Errorf("choose a port for a door: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port

	return Launch{Port: port, Secret: secret}, l.Close()
}

// Remove removes the directory that a door listens in, if a launch has made one, before its agent's private
// directory goes.
func Remove(dir string) error {
	l, err := readLaunch(dir)
	if err != nil || l.Socket == "" {
		return nil // nothing says where it would be
	}
	return os.RemoveAll(filepath.Dir(l.Socket))
}

// Write keeps what the door was opened with in the agent's private directory, for this daemon and a later one, and
// the module that listens there for a program's extension.
func (l Launch) Write(dir string) error {
	if l.Socket != "" {
		if err := writePrivate(dir, extensionFile, extensionModule); err != nil {
			return err
		}
	}
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	return writePrivate(dir, launchFile, text)
}

// readLaunch returns what the launch of a program wrote. It is ErrClosed if that opened no door.
func readLaunch(dir string) (l Launch, err error) {
	if dir == "" {
		return l, closed("parley has not launched the program")
	}

	text, err := os.ReadFile(filepath.Join(dir, launchFile))
	if errors.Is(err, os.ErrNotExist) {
		return l, closed("its launch opened no door")
	}
	if err == nil {
		err = json.Unmarshal(text, &l)
	}
	if err != nil {
		return l, closed("read how its launch opened the door: %w", err)
	}

	return l, nil
}

// writePrivate writes a file that only the user can read, whole or not at all.
func writePrivate(dir, name string, text []byte) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}

	return disk.Replace(filepath.Join(dir, name), text)
}

// closed returns an error that is ErrClosed, with its reason.
func closed(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrClosed)...)
}

// notNow returns an error that is ErrNotNow, with its reason.
func notNow(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrNotNow)...)
}

//go:embed extension.mjs
var extensionModule []byte

// extensionFile is its name in the agent's private directory, next to the extension that opens it.
const extensionFile = "entrance.mjs"

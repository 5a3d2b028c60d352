package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"parley"
	"parley/internal/disk"
)

// Keys is a file with the operator's keys of workspaces on other machines, readable by the user alone.
type Keys string

// Hosts lists the workspaces, in order.
func (k Keys) Hosts() ([]string, error) {
	all, err := k.read()
	return slices.Sorted(maps.Keys(all)), err
}

// Of returns the key of a workspace, "" if there is none.
func (k Keys) Of(host string) (string, error) {
	all, err := k.read()
	return all[host], err
}

// Set keeps the key of a workspace, or forgets it if key is "".
func (k Keys) Set(host, key string) error {
	all, err := k.read()
	if err != nil {
		return err
	}
	if all[host] = key; key == "" {
		delete(all, host)
	}

	text, err := json.MarshalIndent(all, "", "  ")
	if err == nil {
		err = k.write(append(text, '\n'))
	}
	if err != nil {
		return parley.Errorf(parley.StorageUnavailable, "the key of %s cannot be kept: %w", host, err).
			Suggest("Make %s writable for you.", filepath.Dir(string(k)))
	}
	return nil
}

func (k Keys) read() (map[string]string, error) {
	all := map[string]string{}
	text, err := os.ReadFile(string(k))
	if k == "" || errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return all, parley.Errorf(parley.StorageUnavailable, "the keys in %s cannot be read: %w", string(k), err).
			Suggest("Remove the file, and add the hosts again: parley host add BOX:DIR")
	}
	return all, nil
}

// write replaces the file as a whole.
func (k Keys) write(text []byte) error {
	if k == "" {
		return errors.New("HOME is not set")
	}
	if err := os.MkdirAll(filepath.Dir(string(k)), 0o700); err != nil {
		return err
	}

	if err := disk.Replace(string(k), text); err != nil {
		return fmt.Errorf("write %s: %w", string(k), err)
	}
	return nil
}

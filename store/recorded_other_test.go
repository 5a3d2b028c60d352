//go:build !linux

package store

import "errors"

func serveRecorded(string) error { return errors.New("only Linux has recorded directories here") }

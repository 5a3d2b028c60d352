package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"

	"parley/internal/disk"
)

// furtherSuffix ends the name of the directory with the copies for further readers of a file.
const furtherSuffix = ".further"

// FurtherCopy names the copy of a file for other readers than the first, to whom it was forwarded. Readers have
// their own copy, and cannot write to those of others. The same readers share one copy.
func FurtherCopy(id, readers string) string {
	sum := sha256.Sum256([]byte(readers))
	return filepath.Join(id+furtherSuffix, hex.EncodeToString(sum[:16]))
}

// receivedPath returns the path of the recipients' copy of a file.
func (s *Store) receivedPath(id, name string) string { return filepath.Join(s.received, id, name) }

// Receive makes the recipients' copy of a content under the file's name, unless there is
// one, and returns its path. It is a copy and not a link: recipients may write into it,
// and the stored content must keep its hash. File systems that can share the blocks of
// two files do so.
func (s *Store) Receive(sha, id, name string) (string, error) {
	path := s.receivedPath(id, name)
	if info, err := os.Lstat(filepath.Dir(path)); err == nil && !info.IsDir() { // a link leads elsewhere
		if err := os.Remove(filepath.Dir(path)); err != nil {
			return "", failed(path, "making the recipient's copy", err)
		}
	}
	if _, err := os.Lstat(path); err == nil {
		return path, nil
	}

	from, err := s.Content(sha)
	if err != nil {
		return "", err
	}
	defer from.Close()

	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", failed(path, "making the recipient's copy", err)
	}

	if err := writeCopy(path, from); err != nil {
		_ = os.Remove(filepath.Dir(path)) // if nothing else is in it
		return "", s.note(failed(path, "making the recipient's copy", err))
	}

	return path, nil
}

func writeCopy(path string, from *os.File) error {
	dir := filepath.Dir(path)
	temp, err := os.CreateTemp(dir, partPrefix+"*")
	if err != nil {
		return err
	}

	_, err = io.Copy(temp, from)
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}

	return errors.Join(disk.SyncDir(dir), disk.SyncDir(filepath.Dir(dir)))
}

// Withdraw removes the copy of a file whose message was not sent.
func (s *Store) Withdraw(id, name string) error {
	return s.removeCopies(id, name)
}

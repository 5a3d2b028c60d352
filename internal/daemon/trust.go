package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley"
)

// TrustHashes is the variable with the hashes of files that a script trusts, separated by commas.
const TrustHashes = "PARLEY_TRUST"

// Trust knows which files the user trusts. A parley.yaml can come with somebody else's repository, so
// what it may run, open, send or delete counts only after the user has agreed to this content in this place.
type Trust struct {
	dir    string   // has one file for each trusted content; "" if the user has no place for it
	hashes []string // of trusted contents, wherever they are
}

// TrustOf returns what the user of an environment trusts.
func TrustOf(env Environ) Trust {
	t := Trust{hashes: strings.FieldsFunc(env.Get(TrustHashes), func(r rune) bool { return r == ',' || r == ' ' })}
	if state := stateHome(env); state != "" {
		t.dir = filepath.Join(state, "parley", "trusted")
	}
	return t
}

// Has reports whether the user trusts what a file says, or whether it says nothing that needs trust.
func (t Trust) Has(file *Team) bool {
	if len(file.Claims) == 0 || slices.Contains(t.hashes, file.Hash) {
		return true
	}
	if t.dir == "" {
		return false
	}
	_, err := os.Stat(t.record(file))
	return err == nil
}

// Add remembers that the user trusts a file as it is now.
func (t Trust) Add(file *Team) error {
	if t.dir == "" {
		return parley.Errorf(parley.StorageUnavailable,
			"there is no place to remember what you trust: HOME is not set").
			Suggest("Set HOME, or %s=%s for one run.", TrustHashes, file.Hash)
	}

	err := os.MkdirAll(t.dir, 0o700)
	if err == nil {
		err = os.WriteFile(t.record(file), []byte(file.File+"\n"+file.Hash+"\n"), 0o600)
	}
	if err != nil {
		return parley.Errorf(parley.StorageUnavailable, "what you trust cannot be remembered: %w", PathCause(err)).
			Suggest("Make %s writable for you.", t.dir)
	}

	return nil
}

// Remove forgets that the user trusts a file as it is now.
func (t Trust) Remove(file *Team) error {
	err := os.Remove(t.record(file))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget %s: %w", file.File, err)
	}
	return nil
}

// record returns the path of the file that says that a content is trusted where it is.
func (t Trust) record(file *Team) string {
	return filepath.Join(t.dir, hashOf([]byte(file.File+"\x00"+file.Hash)))
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// NotTrusted returns the error of an act for which a file must be trusted.
func NotTrusted(file *Team) error {
	return parley.Errorf(parley.NotTrusted, "%s is not trusted: it may come from somebody else", file.File).
		With("file", file.File).With("sha256", file.Hash).
		Suggest("Run parley trust: it shows what the file runs, opens, sends and deletes, and asks. "+
			"In a script, set %s=%s.", TrustHashes, file.Hash)
}

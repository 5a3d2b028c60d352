package daemon

import (
	"encoding/hex"
	"strings"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// OperatorKey is the variable with a key of the operator's. Commands send it when PARLEY_KEY is not set.
// A daemon that starts with it in a workspace without agents believes it: where there is no terminal, as in
// continuous integration, nobody else could issue the first key.
const OperatorKey = "PARLEY_OPERATOR_KEY"

// operatorHash hands the id and the hash of that key to a daemon, in whose environment other programs of
// the user could read the key itself.
const operatorHash = "PARLEY_OPERATOR_HASH"

// minOperatorKey is the length of the shortest key of the operator: "parley_" and 128 bits in hexadecimal.
const minOperatorKey = 39

// withOperatorHash returns the environment of a daemon.
func (e Environ) withOperatorHash() (Environ, error) {
	key := e.Get(OperatorKey)
	e = e.Scrubbed()
	if key == "" {
		return e, nil
	}
	if !strings.HasPrefix(key, "parley_") || len(key) < minOperatorKey {
		return nil, parley.Errorf(parley.InvalidArgument, "%s is not a key", OperatorKey).
			Suggest("Make one: export %s=parley_$(openssl rand -hex 32)", OperatorKey)
	}
	return append(e, operatorHash+"="+key[:parley.KeyIDLength]+":"+hex.EncodeToString(team.HashKey(key))), nil
}

// operatorKey returns the operator's first key, nil if there is none in the environment.
func (e Environ) operatorKey(now time.Time) (*store.APIKey, error) {
	if e.Get(operatorHash) == "" {
		var err error
		if e, err = e.withOperatorHash(); err != nil { // a daemon in the foreground
			return nil, err
		}
	}

	id, hash, _ := strings.Cut(e.Get(operatorHash), ":")
	sum, err := hex.DecodeString(hash)
	if err != nil || len(sum) == 0 {
		return nil, nil
	}

	return &store.APIKey{
		Hash: sum,
		Key:  parley.Key{KeyID: id, Origin: parley.KeyIssued, CreatedAt: now},
	}, nil
}

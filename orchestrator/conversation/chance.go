package conversation

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
)

// Source draws the number for rule 7, from 0 to below 1, for a message and a recipient.
// It returns the same number each time it is called with the same two.
type Source func(message, recipient string) float64

// Keyed returns a Source without memory: its numbers are a keyed hash of the two ids.
// Nobody can predict them without the key.
func Keyed(key []byte) Source {
	return func(message, recipient string) float64 {
		h := hmac.New(sha256.New, key)
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(message)))
		h.Write(length[:]) // no two pairs of ids give the same bytes
		h.Write([]byte(message))
		h.Write([]byte(recipient))
		const bits = 53 // of a float64's mantissa
		return float64(binary.BigEndian.Uint64(h.Sum(nil))>>(64-bits)) / (1 << bits)
	}
}

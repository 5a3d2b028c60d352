package door

import (
	"crypto/sha256"
	"fmt"
	"math/big"
	"time"
)

// opencode's ids: a prefix, 12 hexadecimal digits that grow with the time, and 14 of these.
const (
	idDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	idTail   = 14
)

// messageID returns an id for a letter that sorts with those that opencode makes at the same time.
func messageID(at time.Time, letter string) string {
	return fmt.Sprintf("msg_%012x%s", uint64(at.UnixMicro())*4096/1000&(1<<48-1), messageTail(letter))
}

// messageTail returns the end of a letter's id, by which it is found at any time.
func messageTail(letter string) string {
	sum := sha256.Sum256([]byte(letter))
	n, base, digit := new(big.Int).SetBytes(sum[:]), big.NewInt(int64(len(idDigits))), new(big.Int)

	tail := make([]byte, idTail)
	for i := range tail {
		n.DivMod(n, base, digit)
		tail[i] = idDigits[digit.Int64()]
	}

	return string(tail)
}

package tmux

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// parseArguments reads what macOS tells of a process: how many arguments it has, the path of its program, zeros,
// the arguments, and its environment, which ends with an empty entry.
func parseArguments(raw []byte) (args, env []string) {
	const size = 4
	if len(raw) < size {
		return nil, nil
	}

	count := int(binary.LittleEndian.Uint32(raw))
	_, rest, _ := bytes.Cut(raw[size:], []byte{0})
	entries := strings.Split(string(bytes.TrimLeft(rest, "\x00")), "\x00")
	if count > len(entries) {
		return nil, nil
	}

	args, env = entries[:count], entries[count:]
	for i, entry := range env {
		if entry == "" {
			return args, env[:i]
		}
	}

	return args, env
}

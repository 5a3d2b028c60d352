package tmux

import (
	"context"
	"os"
)

// RoundTrip puts text into a buffer by the command line, as Submit does, and reads
// it back from the file that tmux saves the buffer to.
func RoundTrip(ctx context.Context, s *Server, text, path string) (string, error) {
	_, err := s.run(ctx,
		"set-buffer -b fuzz -- "+quote(text),
		"save-buffer -b fuzz "+quote(path),
		"delete-buffer -b fuzz",
	)
	if err != nil {
		return "", err
	}
	raw, err := os.ReadFile(path)
	return string(raw), err
}

// CursorLine returns the line that the cursor is on, "" if it is not among Lines.
func (s Screen) CursorLine() string {
	if i := s.CursorY - s.Top; i >= 0 && i < len(s.Lines) {
		return s.Lines[i]
	}
	return ""
}

package tmux

import "context"

// Ping returns nil when the server answers. While it is being reconnected to, it
// waits for that until ctx ends.
func (s *Server) Ping(ctx context.Context) error {
	_, err := s.run(ctx, "display-message -p ok")
	return err
}

package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// listenTest is how long a connection that listens may take to hear itself.
const listenTest = 3 * time.Second

// ListenTo calls heard with each text that is said on a channel, until the context or the connection ends. The first is
// what say says, on another connection: a pooler may swallow it, which is an error.
func ListenTo(
	ctx context.Context, config *ServerConfig, channel string, say func(context.Context) error, heard func(text string),
) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))

	if _, err := conn.Exec(ctx, `LISTEN `+pgx.Identifier{channel}.Sanitize()); err != nil {
		return err
	}
	if err := say(ctx); err != nil {
		return err
	}

	testing, cancel := context.WithTimeout(ctx, listenTest)
	defer cancel()
	n, err := conn.WaitForNotification(testing)
	if err != nil {
		return fmt.Errorf("the server's notifications do not arrive: %w", err)
	}

	for err == nil {
		heard(n.Payload)
		n, err = conn.WaitForNotification(ctx)
	}

	return err
}

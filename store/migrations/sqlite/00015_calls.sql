-- +goose Up
-- Calls that made something else than a message, by the idempotency key of their caller. A message has its key itself.
CREATE TABLE calls (
    agent_id        TEXT NOT NULL REFERENCES agents (id),
    idempotency_key TEXT NOT NULL,
    asked           TEXT NOT NULL, -- a hash of what was asked for
    made            TEXT NOT NULL, -- the id of the thread or file
    message_id      TEXT NOT NULL, -- of the first post in that thread, or empty
    PRIMARY KEY (agent_id, idempotency_key)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE calls;

-- +goose Up
CREATE TABLE threads (
    id              TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    title           TEXT    NOT NULL,
    creator_id      TEXT    NOT NULL REFERENCES agents (id),
    created_at      INTEGER NOT NULL,
    last_message_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX threads_active ON threads (last_message_at, id);

-- The participants of threads. An agent that joins again keeps its row.
CREATE TABLE participants (
    thread_id TEXT    NOT NULL REFERENCES threads (id),
    agent_id  TEXT    NOT NULL REFERENCES agents (id),
    joined_at INTEGER NOT NULL,
    left_at   INTEGER NOT NULL DEFAULT 0, -- 0 while it takes part
    PRIMARY KEY (thread_id, agent_id)
) WITHOUT ROWID;

CREATE INDEX messages_thread ON messages (thread_id, seq) WHERE thread_id <> '';

-- +goose Down
DROP INDEX messages_thread;
DROP TABLE participants;
DROP TABLE threads;

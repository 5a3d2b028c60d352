-- Times are nanoseconds since 1970 (UTC), 0 for none. Other rows refer to an event or a
-- delivery by its number. Numbers are never used twice.

-- +goose Up
CREATE TABLE agents (
    id           TEXT    NOT NULL PRIMARY KEY,
    name         TEXT    NOT NULL,
    description  TEXT    NOT NULL,
    role         TEXT    NOT NULL,
    capabilities TEXT    NOT NULL, -- JSON
    team_groups  TEXT    NOT NULL, -- JSON
    kind         TEXT    NOT NULL,
    state        TEXT    NOT NULL,
    since        INTEGER NOT NULL,
    evidence     TEXT    NOT NULL,
    exit_status  INTEGER,
    host         TEXT    NOT NULL,
    profile      TEXT    NOT NULL,
    command      TEXT    NOT NULL, -- JSON
    orchestrate  INTEGER NOT NULL,
    key_hash     BLOB,
    created_at   INTEGER NOT NULL,
    last_active  INTEGER NOT NULL
);
CREATE UNIQUE INDEX agents_name ON agents (lower(name));

CREATE TABLE messages (
    seq               INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of acceptance
    id                TEXT    NOT NULL CHECK (id <> ''),
    kind              TEXT    NOT NULL,
    type              TEXT    NOT NULL,
    priority          TEXT    NOT NULL,
    sender_id         TEXT    NOT NULL REFERENCES agents (id),
    text              TEXT    NOT NULL,
    data              TEXT    NOT NULL, -- a JSON object, or empty
    context_reference TEXT    NOT NULL,
    in_reply_to       TEXT    NOT NULL,
    idempotency_key   TEXT    NOT NULL,
    accepted_at       INTEGER NOT NULL
);
CREATE UNIQUE INDEX messages_id ON messages (id);
CREATE UNIQUE INDEX messages_idempotency ON messages (sender_id, idempotency_key) WHERE idempotency_key <> '';

CREATE TABLE deliveries (
    message_seq     INTEGER NOT NULL REFERENCES messages (seq),
    recipient_id    TEXT    NOT NULL REFERENCES agents (id),
    conversation_id TEXT    NOT NULL,
    kind            TEXT    NOT NULL, -- the message's
    urgent          INTEGER NOT NULL, -- the message's, as 0 or 1
    state           TEXT    NOT NULL,
    reason          TEXT    NOT NULL,
    notice          INTEGER NOT NULL,
    pane_seq        INTEGER NOT NULL, -- of the last claim, 0 before
    queued_at       INTEGER NOT NULL,
    read_at         INTEGER,          -- NULL while unread
    steps           TEXT    NOT NULL, -- one JSON object a line; only ever appended to
    PRIMARY KEY (message_seq, recipient_id)
) WITHOUT ROWID;
CREATE INDEX deliveries_inbox ON deliveries (recipient_id, message_seq);
-- read_at is always NULL here. With it in the index, SQLite prefers the index and counts without reading the table.
CREATE INDEX deliveries_unread ON deliveries (recipient_id, read_at, message_seq) WHERE read_at IS NULL;
CREATE INDEX deliveries_open ON deliveries (recipient_id, urgent DESC, message_seq) WHERE state IN ('queued', 'held', 'typing');
CREATE INDEX deliveries_ended ON deliveries (state) WHERE state IN ('failed', 'unconfirmed', 'expired');
CREATE INDEX deliveries_direct ON deliveries (conversation_id, message_seq) WHERE kind = 'direct';

-- The details of a message are not stored in its events.
CREATE TABLE events (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT,
    type            TEXT    NOT NULL,
    at              INTEGER NOT NULL,
    message_seq     INTEGER NOT NULL, -- 0 for none
    recipient_id    TEXT    NOT NULL,
    recipient_count INTEGER NOT NULL,
    agent_id        TEXT    NOT NULL,
    state           TEXT    NOT NULL,
    detail          TEXT    NOT NULL
);

CREATE TABLE agent_log (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id TEXT    NOT NULL REFERENCES agents (id),
    log_type TEXT    NOT NULL,
    message  TEXT    NOT NULL,
    details  TEXT    NOT NULL, -- JSON
    at       INTEGER NOT NULL
);

-- +goose Down
DROP TABLE agent_log;
DROP TABLE events;
DROP TABLE deliveries;
DROP TABLE messages;
DROP TABLE agents;

-- +goose Up
CREATE TABLE schedules (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    owner_id   TEXT    NOT NULL REFERENCES agents (id), -- who sends its messages
    name       TEXT    NOT NULL, -- given by its owner, or empty
    message    TEXT    NOT NULL,                        -- JSON: the request by which each message is sent
    every      TEXT    NOT NULL,                        -- the rule, or empty for one time
    zone       TEXT    NOT NULL,                        -- by its name in the IANA database
    start      INTEGER NOT NULL,
    chain_id   TEXT    NOT NULL,
    hop        INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    state      TEXT    NOT NULL,
    next_at    INTEGER NOT NULL, -- 0 when no time is left
    set_at     INTEGER NOT NULL, -- when next_at was found
    last_at    INTEGER NOT NULL DEFAULT 0, -- the last time that something came of
    done_at    INTEGER NOT NULL DEFAULT 0, -- and when it did
    outcome    TEXT    NOT NULL DEFAULT '',
    reason     TEXT    NOT NULL DEFAULT '',
    message_id TEXT    NOT NULL DEFAULT '', -- the last message
    in_a_row   INTEGER NOT NULL DEFAULT 0,  -- times without a message since then
    missed     INTEGER NOT NULL DEFAULT 0   -- times before the last one that passed while nobody looked
) WITHOUT ROWID;
CREATE UNIQUE INDEX schedules_name ON schedules (owner_id, name) WHERE name <> '';

ALTER TABLE messages ADD COLUMN schedule_id TEXT NOT NULL DEFAULT ''; -- that sent it
ALTER TABLE messages ADD COLUMN due_at INTEGER NOT NULL DEFAULT 0;    -- its time on the schedule
CREATE UNIQUE INDEX messages_schedule ON messages (schedule_id, due_at) WHERE schedule_id <> '';

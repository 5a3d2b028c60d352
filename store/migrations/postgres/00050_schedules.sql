-- +goose Up
CREATE TABLE schedules (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (id <> ''),
    owner_id   TEXT COLLATE "C" NOT NULL REFERENCES agents (id), -- who sends its messages
    name       TEXT COLLATE "C" NOT NULL, -- given by its owner, or empty
    message    TEXT COLLATE "C" NOT NULL,                        -- JSON: the request by which each message is sent
    every      TEXT COLLATE "C" NOT NULL,                        -- the rule, or empty for one time
    zone       TEXT COLLATE "C" NOT NULL,                        -- by its name in the IANA database
    start      BIGINT NOT NULL,
    chain_id   TEXT COLLATE "C" NOT NULL,
    hop        BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    state      TEXT COLLATE "C" NOT NULL,
    next_at    BIGINT NOT NULL, -- 0 when no time is left
    set_at     BIGINT NOT NULL, -- when next_at was found
    last_at    BIGINT NOT NULL DEFAULT 0, -- the last time that something came of
    done_at    BIGINT NOT NULL DEFAULT 0, -- and when it did
    outcome    TEXT COLLATE "C" NOT NULL DEFAULT '',
    reason     TEXT COLLATE "C" NOT NULL DEFAULT '',
    message_id TEXT COLLATE "C" NOT NULL DEFAULT '', -- the last message
    in_a_row   BIGINT NOT NULL DEFAULT 0,  -- times without a message since then
    missed     BIGINT NOT NULL DEFAULT 0   -- times before the last one that passed while nobody looked
);
CREATE UNIQUE INDEX schedules_name ON schedules (owner_id, name) WHERE name <> '';

ALTER TABLE messages ADD COLUMN schedule_id TEXT COLLATE "C" NOT NULL DEFAULT ''; -- that sent it
ALTER TABLE messages ADD COLUMN due_at BIGINT NOT NULL DEFAULT 0;    -- its time on the schedule
CREATE UNIQUE INDEX messages_schedule ON messages (schedule_id, due_at) WHERE schedule_id <> '';

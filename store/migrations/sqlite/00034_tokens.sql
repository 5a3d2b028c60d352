-- +goose Up
-- The transcripts of agents' programs, and how far they were read.
CREATE TABLE transcripts (
    agent_id TEXT    NOT NULL REFERENCES agents (id),
    path     TEXT    NOT NULL,
    form     TEXT    NOT NULL,
    since    INTEGER NOT NULL, -- what is older is not the agent's: the program resumed or copied it
    position INTEGER NOT NULL, -- bytes
    skipping INTEGER NOT NULL, -- the position is within a line that is too long
    model    TEXT    NOT NULL, -- as named by an earlier line
    records  INTEGER NOT NULL, -- that were read
    unknown  TEXT    NOT NULL, -- why it cannot be read
    seen_at  INTEGER NOT NULL, -- when it was last named or had grown
    PRIMARY KEY (agent_id, path)
) WITHOUT ROWID;
-- The responses that are counted, so that a copy of one is not counted again.
CREATE TABLE token_records (
    id          TEXT    NOT NULL PRIMARY KEY,
    agent_id    TEXT    NOT NULL,
    day         TEXT    NOT NULL,
    model       TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    cached      INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    reasoning   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX token_records_at ON token_records (at);
-- What the models of an agent used on a day.
CREATE TABLE token_days (
    agent_id    TEXT    NOT NULL REFERENCES agents (id),
    day         TEXT    NOT NULL,
    model       TEXT    NOT NULL,
    responses   INTEGER NOT NULL,
    input       INTEGER NOT NULL,
    cached      INTEGER NOT NULL,
    cache_write INTEGER NOT NULL,
    output      INTEGER NOT NULL,
    reasoning   INTEGER NOT NULL,
    PRIMARY KEY (agent_id, day, model)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE token_days;
DROP TABLE token_records;
DROP TABLE transcripts;

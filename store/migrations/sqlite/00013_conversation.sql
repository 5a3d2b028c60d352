-- +goose Up
ALTER TABLE messages ADD COLUMN chain_id TEXT NOT NULL DEFAULT ''; -- the id of the message that began the chain
ALTER TABLE messages ADD COLUMN hop INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN withheld TEXT NOT NULL DEFAULT ''; -- the rule by which the conversation protocol withholds it
ALTER TABLE deliveries ADD COLUMN withheld_until INTEGER NOT NULL DEFAULT 0;
ALTER TABLE threads ADD COLUMN conversation TEXT NOT NULL DEFAULT ''; -- its own settings, as JSON
CREATE INDEX deliveries_withheld ON deliveries (message_seq) WHERE state = 'held' AND withheld <> '';

-- The operator's acts on conversations, as long as they have an effect.
CREATE TABLE conversation_acts (
    seq       INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    action    TEXT    NOT NULL,
    thread_id TEXT    NOT NULL DEFAULT '', -- empty for two agents
    one       TEXT    NOT NULL DEFAULT '', -- the two agents
    other     TEXT    NOT NULL DEFAULT '',
    chain_id  TEXT    NOT NULL DEFAULT '', -- of the turn that was released
    hop       INTEGER NOT NULL DEFAULT 0
);

-- +goose Down
DROP TABLE conversation_acts;
DROP INDEX deliveries_withheld;
ALTER TABLE threads DROP COLUMN conversation;
ALTER TABLE deliveries DROP COLUMN withheld_until;
ALTER TABLE deliveries DROP COLUMN withheld;
ALTER TABLE messages DROP COLUMN hop;
ALTER TABLE messages DROP COLUMN chain_id;

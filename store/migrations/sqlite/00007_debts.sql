-- +goose Up
ALTER TABLE messages ADD COLUMN response_status TEXT NOT NULL DEFAULT ''; -- of a formal response
ALTER TABLE deliveries ADD COLUMN answered_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN answered_by TEXT NOT NULL DEFAULT ''; -- the id of its recipient's first reply

-- Required responses: one row for each message and each agent that must answer it.
CREATE TABLE debts (
    message_seq      INTEGER NOT NULL REFERENCES messages (seq),
    debtor_id        TEXT    NOT NULL REFERENCES agents (id),
    due_at           INTEGER NOT NULL,
    state            TEXT    NOT NULL, -- open, partial, completed, unable, delegated
    answered_by      TEXT    NOT NULL DEFAULT '', -- the id of the last response
    answered_at      INTEGER NOT NULL DEFAULT 0,
    late             INTEGER NOT NULL DEFAULT 0,
    reminded_at      INTEGER NOT NULL DEFAULT 0,
    sender_told_at   INTEGER NOT NULL DEFAULT 0,
    operator_told_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (message_seq, debtor_id)
) WITHOUT ROWID;
CREATE INDEX debts_owed ON debts (debtor_id, due_at) WHERE state IN ('open', 'partial');
CREATE INDEX debts_due ON debts (due_at) WHERE state IN ('open', 'partial') AND operator_told_at = 0;

-- +goose Down
DROP TABLE debts;
ALTER TABLE deliveries DROP COLUMN answered_by;
ALTER TABLE deliveries DROP COLUMN answered_at;
ALTER TABLE messages DROP COLUMN response_status;

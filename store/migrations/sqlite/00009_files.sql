-- +goose Up
CREATE TABLE files (
    id         TEXT    NOT NULL PRIMARY KEY CHECK (id <> ''),
    name       TEXT    NOT NULL,
    size       INTEGER NOT NULL,
    sha256     TEXT    NOT NULL, -- in hexadecimal digits; names the content
    sender_id  TEXT    NOT NULL REFERENCES agents (id),
    created_at INTEGER NOT NULL
) WITHOUT ROWID;

-- The messages that carry a file. An agent that may read one of them may read the file.
CREATE TABLE message_files (
    file_id     TEXT    NOT NULL REFERENCES files (id),
    message_seq INTEGER NOT NULL REFERENCES messages (seq),
    PRIMARY KEY (file_id, message_seq)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE message_files;
DROP TABLE files;

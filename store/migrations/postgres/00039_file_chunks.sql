-- +goose Up
-- The contents of stored files, for the hosts on which they were not sent.
CREATE TABLE file_chunks (
    sha256   TEXT COLLATE "C" NOT NULL, -- of the whole content
    n        BIGINT NOT NULL,           -- from 0 on
    content  BYTEA NOT NULL,
    added_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (sha256, n)
);

-- +goose Down
DROP TABLE file_chunks;

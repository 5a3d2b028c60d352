-- +goose Up
-- Messages to several recipients, guidance and notices are few among all.
CREATE INDEX messages_spread ON messages (sender_id, kind) WHERE kind <> 'direct';
ALTER TABLE files ADD COLUMN removed_at INTEGER NOT NULL DEFAULT 0; -- then its content is deleted
CREATE INDEX files_content ON files (sha256);

-- +goose Down
DROP INDEX files_content;
ALTER TABLE files DROP COLUMN removed_at;
DROP INDEX messages_spread;

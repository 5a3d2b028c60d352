-- +goose Up
-- What went to several, and what is the operator's and parley's: few among many.
CREATE INDEX messages_spread ON messages (sender_id, kind) WHERE kind <> 'direct';
ALTER TABLE files ADD COLUMN removed_at INTEGER NOT NULL DEFAULT 0; -- what it held is deleted then
CREATE INDEX files_content ON files (sha256);

-- +goose Down
DROP INDEX files_content;
ALTER TABLE files DROP COLUMN removed_at;
DROP INDEX messages_spread;

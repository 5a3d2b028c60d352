-- +goose Up
ALTER TABLE messages ADD COLUMN thread_id TEXT NOT NULL DEFAULT '';
ALTER TABLE messages ADD COLUMN attachments TEXT NOT NULL DEFAULT ''; -- a JSON list, or empty
ALTER TABLE messages ADD COLUMN requires_response INTEGER NOT NULL DEFAULT 0;
ALTER TABLE messages ADD COLUMN response_deadline INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE messages DROP COLUMN response_deadline;
ALTER TABLE messages DROP COLUMN requires_response;
ALTER TABLE messages DROP COLUMN attachments;
ALTER TABLE messages DROP COLUMN thread_id;

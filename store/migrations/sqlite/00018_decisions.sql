-- +goose Up
-- What the conversation protocol decided about a responder and a thread's post, as JSON.
ALTER TABLE deliveries ADD COLUMN decision TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE deliveries DROP COLUMN decision;

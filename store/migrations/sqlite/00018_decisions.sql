-- +goose Up
-- The conversation protocol's decision whether a responder answers a thread's post, as JSON.
ALTER TABLE deliveries ADD COLUMN decision TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE deliveries DROP COLUMN decision;

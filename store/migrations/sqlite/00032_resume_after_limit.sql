-- +goose Up
ALTER TABLE agents ADD COLUMN resume_after_limit INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE agents DROP COLUMN resume_after_limit;

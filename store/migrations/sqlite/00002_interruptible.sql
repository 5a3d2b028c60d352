-- +goose Up
ALTER TABLE agents ADD COLUMN interruptible INTEGER NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE agents DROP COLUMN interruptible;

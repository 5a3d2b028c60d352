-- +goose Up
ALTER TABLE agents ADD COLUMN dir TEXT NOT NULL DEFAULT ''; -- the directory in which it was launched

-- +goose Down
ALTER TABLE agents DROP COLUMN dir;

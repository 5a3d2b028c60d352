-- +goose Up
-- The secret word in the footers of the agent's terminal.
ALTER TABLE agents ADD COLUMN seal TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE agents DROP COLUMN seal;

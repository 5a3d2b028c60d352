-- +goose Up
ALTER TABLE agents ADD COLUMN socket TEXT NOT NULL DEFAULT ''; -- the tmux server from which it was adopted, or empty
ALTER TABLE agents ADD COLUMN pane TEXT NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE agents DROP COLUMN pane;
ALTER TABLE agents DROP COLUMN socket;

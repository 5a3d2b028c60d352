-- +goose Up
ALTER TABLE agents ADD COLUMN worktree TEXT NOT NULL DEFAULT ''; -- the git worktree that parley made for it, as JSON

-- +goose Down
ALTER TABLE agents DROP COLUMN worktree;

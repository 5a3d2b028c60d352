-- +goose Up
-- The secret word in the footers of the agent's terminal.
ALTER TABLE agents ADD COLUMN seal TEXT NOT NULL DEFAULT '';
-- When a key ends by itself; 0: never.
ALTER TABLE agent_keys ADD COLUMN expires_at INTEGER NOT NULL DEFAULT 0;
-- For what one agent has stored.
CREATE INDEX files_sender ON files (sender_id);

-- +goose Down
DROP INDEX files_sender;
ALTER TABLE agent_keys DROP COLUMN expires_at;
ALTER TABLE agents DROP COLUMN seal;

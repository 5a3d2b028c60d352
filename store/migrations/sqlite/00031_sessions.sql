-- +goose Up
-- The own session of the agent's program, to which a restart returns.
ALTER TABLE agents ADD COLUMN session TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN session_state TEXT NOT NULL DEFAULT '';
-- A restart begins a new session.
ALTER TABLE agents ADD COLUMN no_resume INTEGER NOT NULL DEFAULT 0;
-- What else it was launched with: the hash of its first prompt, and the names of its own variables.
ALTER TABLE agents ADD COLUMN prompt_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE agents ADD COLUMN own_env TEXT NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE agents DROP COLUMN own_env;
ALTER TABLE agents DROP COLUMN prompt_hash;
ALTER TABLE agents DROP COLUMN no_resume;
ALTER TABLE agents DROP COLUMN session_state;
ALTER TABLE agents DROP COLUMN session;

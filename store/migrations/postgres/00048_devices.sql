-- +goose Up
ALTER TABLE agent_keys ADD COLUMN browser TEXT COLLATE "C" NOT NULL DEFAULT ''; -- of a session of the page: where it was opened
ALTER TABLE agent_keys ADD COLUMN address TEXT COLLATE "C" NOT NULL DEFAULT '';

-- +goose Up
ALTER TABLE agents ADD COLUMN pull_request TEXT COLLATE "C" NOT NULL DEFAULT ''; -- JSON: of its branch, and what it was told of that

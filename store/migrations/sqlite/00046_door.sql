-- +goose Up
ALTER TABLE agents ADD COLUMN door TEXT NOT NULL DEFAULT ''; -- when its messages go through its program's own entrance
ALTER TABLE deliveries ADD COLUMN door INTEGER NOT NULL DEFAULT 0; -- its last claim was for that entrance

-- +goose Up
ALTER TABLE agents ADD COLUMN ports TEXT NOT NULL DEFAULT ''; -- reserved for it on its host: JSON, by variable

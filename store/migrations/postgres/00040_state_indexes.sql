-- +goose Up
-- PostgreSQL makes no table for a list.
SELECT 1;

-- +goose Down
SELECT 1;

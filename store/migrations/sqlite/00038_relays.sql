-- +goose Up
-- A file has one host, which asks nothing of others.
SELECT 1;

-- +goose Down
SELECT 1;

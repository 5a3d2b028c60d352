-- +goose Up
-- A file has one host, the machine that it is on, so there is nothing to keep here.
SELECT 1;

-- +goose Down
SELECT 1;

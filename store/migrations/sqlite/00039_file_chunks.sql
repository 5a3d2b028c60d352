-- +goose Up
-- With a file as the database, the contents of stored files are on the same machine, so there is nothing to keep here.
SELECT 1;

-- +goose Down
SELECT 1;

-- +goose Up
-- Requests and replies are few among all messages.
CREATE INDEX messages_requests ON messages (accepted_at) WHERE type = 'request';
CREATE INDEX messages_replies ON messages (in_reply_to, sender_id) WHERE in_reply_to <> '';

-- +goose Down
DROP INDEX messages_replies;
DROP INDEX messages_requests;

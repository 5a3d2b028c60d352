-- +goose Up
-- Nobody is told now of what ended before. A failed or expired delivery is dismissed once its sender has been told.
UPDATE deliveries SET dismissed = 1 WHERE state IN ('failed', 'expired');
DROP INDEX deliveries_ended;
CREATE INDEX deliveries_ended ON deliveries (state, dismissed) WHERE state IN ('failed', 'unconfirmed', 'expired');

-- +goose Down
DROP INDEX deliveries_ended;
CREATE INDEX deliveries_ended ON deliveries (state) WHERE state IN ('failed', 'unconfirmed', 'expired');

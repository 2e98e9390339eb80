-- Deliveries are counted from indexes alone: those that are not sent, which are few, and sent ones of a channel up to a
-- limit.

DROP INDEX docket.delivery_status_idx;
CREATE INDEX delivery_status_idx ON docket.delivery (status, id) INCLUDE (channel) WHERE status <> 'sent';
CREATE INDEX delivery_sent_idx ON docket.delivery (channel) WHERE status = 'sent';

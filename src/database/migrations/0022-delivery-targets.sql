-- Where a channel that has several receivers sends a delivery: the name of the receiver in the settings.

ALTER TABLE docket.delivery ADD COLUMN target text;

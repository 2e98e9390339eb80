-- The receiver of a delivery, for channels with several receivers: its name in the settings.

ALTER TABLE docket.delivery ADD COLUMN target text;

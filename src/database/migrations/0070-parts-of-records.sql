-- Not only tasks are parts of records: history and removals say of which entity a part is.

ALTER TABLE docket.history RENAME COLUMN task_id TO part_id;
ALTER INDEX docket.history_task_idx RENAME TO history_part_idx;
-- Known for all earlier entries without writing them; it says something only beside the id of a part.
ALTER TABLE docket.history ADD COLUMN part_key text DEFAULT 'task';
ALTER TABLE docket.history ALTER COLUMN part_key DROP DEFAULT;

ALTER TABLE docket.removed_with_record RENAME COLUMN task_id TO part_id;
ALTER TABLE docket.removed_with_record ADD COLUMN part_key text NOT NULL DEFAULT 'task';
ALTER TABLE docket.removed_with_record ALTER COLUMN part_key DROP DEFAULT;
ALTER TABLE docket.removed_with_record DROP CONSTRAINT removed_with_record_pkey;
ALTER TABLE docket.removed_with_record ADD PRIMARY KEY (entity_key, entity_id, part_key, part_id, is_link);

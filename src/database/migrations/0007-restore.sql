-- Tasks, and links of tasks, that were removed with a record: both are restored with it.

CREATE TABLE docket.removed_with_record (
  entity_key text NOT NULL,
  entity_id integer NOT NULL,
  task_id integer NOT NULL,
  is_link boolean NOT NULL,
  PRIMARY KEY (entity_key, entity_id, task_id, is_link)
);

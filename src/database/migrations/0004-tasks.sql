-- Data of tasks: links to further records, due dates with a notification, private calendar feeds.

CREATE TABLE docket.task_link (
  task_id integer NOT NULL,
  key text NOT NULL,
  entity_id integer NOT NULL,
  PRIMARY KEY (task_id, key, entity_id)
);
CREATE INDEX task_link_record_idx ON docket.task_link (key, entity_id, task_id);

-- A row means: the assignee was notified of this due date of this task.
CREATE TABLE docket.task_notice (
  task_id integer NOT NULL,
  kind text NOT NULL,
  due_date timestamptz(3) NOT NULL,
  told_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (task_id, due_date, kind)
);

-- The time up to which due dates were checked: one row.
CREATE TABLE docket.task_sweep (
  swept_to timestamptz NOT NULL
);
INSERT INTO docket.task_sweep VALUES (now());

CREATE TABLE docket.calendar_feed (
  user_id integer PRIMARY KEY,
  digest text NOT NULL UNIQUE,
  created_at timestamptz(3) NOT NULL DEFAULT now()
);

-- The history of a record includes its tasks.
ALTER TABLE docket.history ADD COLUMN task_id integer;
CREATE INDEX history_task_idx ON docket.history (task_id, id) WHERE task_id IS NOT NULL;

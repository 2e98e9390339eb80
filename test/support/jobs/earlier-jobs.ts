/** The tables in which graphile-worker 0.18 kept jobs, with jobs of each state, as a version before 0049-own-jobs.sql left them. */
import type { Pool } from '../../../src/database/pool.ts'

export const createEarlierJobs = async (pool: Pool): Promise<void> => {
  await pool.query(
    `CREATE SCHEMA graphile_worker;
     CREATE TABLE graphile_worker._private_tasks (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, identifier text NOT NULL UNIQUE);
     CREATE TABLE graphile_worker._private_jobs (
       id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, job_queue_id integer, task_id integer NOT NULL,
       payload json DEFAULT '{}' NOT NULL, priority smallint DEFAULT 0 NOT NULL, run_at timestamptz DEFAULT now() NOT NULL,
       attempts smallint DEFAULT 0 NOT NULL, max_attempts smallint DEFAULT 25 NOT NULL, last_error text,
       created_at timestamptz DEFAULT now() NOT NULL, updated_at timestamptz DEFAULT now() NOT NULL,
       key text, locked_at timestamptz, locked_by text, revision integer DEFAULT 0 NOT NULL, flags jsonb,
       is_available boolean GENERATED ALWAYS AS (locked_at IS NULL AND attempts < max_attempts) STORED NOT NULL
     );
     INSERT INTO graphile_worker._private_tasks (identifier) VALUES ('task.tell');
     INSERT INTO graphile_worker._private_jobs (id, task_id, payload, run_at, attempts, last_error, locked_at, locked_by)
     OVERRIDING SYSTEM VALUE
     VALUES (3, 1, '{"a": "\\u0000"}', '2026-01-01', 0, NULL, NULL, NULL),
       (5, 1, '{}', '2026-01-01', 2, NULL, now(), 'a worker'),
       (6, 1, '{}', '2026-01-01', 2, E'no\\nat stack', NULL, NULL),
       (9, 1, '{}', '2026-01-01', 25, 'no', NULL, NULL)`,
  )
}

/** The same as `restoreBackup` creates them of a backup: it knows the names of the columns alone. */
export const createRestoredJobs = async (pool: Pool): Promise<void> => {
  await createEarlierJobs(pool)
  for (const table of ['_private_jobs', '_private_tasks']) {
    const { rows } = await pool.query<{ columns: string }>(
      `SELECT string_agg(format('%I::text', attname), ', ') AS columns FROM pg_attribute
       WHERE attrelid = 'graphile_worker.${table}'::regclass AND attnum > 0 AND attgenerated = ''`,
    )
    await pool.query(
      `CREATE TABLE graphile_worker.restored AS SELECT ${rows[0]?.columns} FROM graphile_worker.${table};
       DROP TABLE graphile_worker.${table};
       ALTER TABLE graphile_worker.restored RENAME TO ${table}`,
    )
  }
}

/** The settings of the database: where it is, how long to wait for it, and how many connections to open. */
import { optional, type Setting, setting, several, url, wholeNumber } from './setting.ts'

const postgres = url('postgres:', 'postgresql:')

export const databaseSettings = {
  DATABASE_URL: optional(
    postgres,
    'PostgreSQL 15 or newer; without it the service starts its own under `.docket/`.',
  ),
  DATABASE_DIRECT_URL: optional(
    postgres,
    'The same database without a pooler in between, when `DATABASE_URL` leads to one that assigns sessions per transaction.',
  ),
  DATABASE_WAIT_SECONDS: setting(
    '30',
    wholeNumber(0, 3600),
    'How long a start waits for a database that does not answer yet.',
  ),
  DATABASE_REPLICA_URL: optional(
    several(postgres),
    'Replicas that answer reads of records, separated by blanks; each address leads to one standby.',
  ),
  DATABASE_EXPORT_URL: optional(
    several(postgres),
    'Replicas for exports alone, separated by blanks; without it exports run on those of `DATABASE_REPLICA_URL`.',
  ),
  DATABASE_REPLICA_LAG_SECONDS: setting(
    '5',
    wholeNumber(1, 3600),
    'How far a replica may be behind to be read from; beyond it the primary answers.',
  ),
  DATABASE_POOL_SIZE: setting(
    '10',
    wholeNumber(2, 1000),
    'Connections for requests; one caller uses half of them at most. Exports have their own.',
  ),
  JOBS_POOL_SIZE: setting(
    '8',
    wholeNumber(1, 1000),
    'Connections for the work of jobs, documents and functions.',
  ),
  JOBS_QUEUE_POOL_SIZE: setting(
    '4',
    wholeNumber(2, 100),
    'Connections that take jobs and write their results.',
  ),
  JOBS_BATCH_POOL_SIZE: setting(
    '4',
    wholeNumber(1, 100),
    'Connections for short statements that jobs share.',
  ),
  EMAILS_POOL_SIZE: setting(
    '3',
    wholeNumber(1, 100),
    'Connections that take e-mails to send and mark them as sent.',
  ),
  SCHEMA_WAIT_SECONDS: setting(
    '60',
    wholeNumber(1, 86400),
    'How long a start retries to get the locks for changing a table, without blocking others.',
  ),
} satisfies Record<string, Setting<unknown>>

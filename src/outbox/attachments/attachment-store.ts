/** Attachments of mailings: created once, stored by their content, shared by all deliveries of a mailing. */
import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import type { Person } from '../../auth/caller.ts'
import { entitledOrReadableBy, type VisibilityDeps } from '../../auth/readable-records.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import {
  execute,
  type Pool,
  type Queryable,
  queryRow,
  queryRows,
  queryValues,
} from '../../database/pool.ts'
import { bigint, bound, int, type Sql, signalled, sql, table, text } from '../../database/sql.ts'
import { transaction } from '../../database/transaction.ts'
import type { Entity } from '../../definitions/catalog.ts'
import type { ShownFile } from '../../definitions/field-types/files.ts'
import { enqueue, jobsIn } from '../../jobs/job.ts'
import type { Attempt } from '../../jobs/queue.ts'
import {
  type ChosenReading,
  chosenReading,
  joinChosen,
  type UserReading,
} from '../../users/user-readings.ts'
import { heldRolesOf, holder } from '../../users/user-store.ts'
import { attachDocuments, queuedChannel, type RequestedAttachments } from '../delivery.ts'
import type { Attachment } from '../email/email.ts'

/**
 * An attachment that was created, with what is wrong with it, a file of the record, or the sentence that says why there is
 * none.
 */
export type CreatedAttachment =
  | { readonly attachment: Attachment; readonly doubt?: string | undefined }
  | { readonly file: Pick<ShownFile, 'id'> }
  | { readonly name: string; readonly fault: string }

/** A mailing whose attachments are created. */
export type Mailing = {
  readonly id: number
  readonly entity_key: string
  readonly entity_id: number
  readonly requested: RequestedAttachments
  readonly actor_id: number | null
  readonly action: object
  readonly operation: string
  readonly comment: string | null
  /** Its deliveries show everybody everything. */
  readonly shows_hidden: boolean
}

/** The mailing, unless it was removed meanwhile. */
export const findMailing = async (pool: Pool, id: number): Promise<Mailing | undefined> => {
  const row = await queryRow<Record<'requested' | 'action', string> & Mailing>(
    pool,
    sql`
SELECT id, entity_key, entity_id, wished AS requested, operation,
  (data->'actor'->>'id')::integer AS actor_id,
  data->>'action' AS action,
  data->>'comment' AS comment,
  coalesce((data->'sight'->>'shows_hidden')::boolean, false) AS shows_hidden
FROM docket.mailing
WHERE id = ${bigint(id)}`,
  )
  if (!row) return undefined
  return { ...row, requested: JSON.parse(row.requested), action: JSON.parse(row.action ?? '{}') }
}

/** A recipient to whom nothing was sent yet, with the key of their role. */
type WaitingRecipient = Person &
  ChosenReading & {
    /** Whether they may read the record now. */
    readonly mayRead: boolean
  }

/** The recipients of a mailing about a record of an entity who still wait for it. */
export const listRecipients = (
  pool: Pool,
  deps: VisibilityDeps,
  {
    id,
    entity,
    entityId,
  }: { readonly id: number; readonly entity: Entity; readonly entityId: number },
): Promise<WaitingRecipient[]> => {
  const waiting = sql`d.mailing_id = ${bigint(id)} AND d.status IN ('queued', 'failed', 'sending')`
  return queryRows<WaitingRecipient>(
    pool,
    sql`
SELECT d.user_id AS "userId", coalesce(held.keys, '') AS "roleKey",
  coalesce(${entitledOrReadableBy(deps, entity, 't', holder)}, false) AS "mayRead", ${chosenReading}
FROM docket.delivery d
LEFT JOIN ${table(entity)} t ON t.id = ${int(entityId)}
JOIN ${table('user')} u ON u.id = d.user_id
LEFT JOIN ${table('security_role')} r ON r.id = u.security_role_id AND NOT r._is_deleted
${heldRolesOf(sql`SELECT d.user_id FROM docket.delivery d WHERE ${waiting}`)}${joinChosen(sql`d.user_id`)}
WHERE ${waiting}`,
  )
}

/** Stores which audience users belong to. */
export const setAudience = async (
  pool: Pool,
  mailingId: number,
  audience: string,
  userIds: readonly number[],
): Promise<void> => {
  const name = text(audience)
  await execute(
    pool,
    sql`
UPDATE docket.delivery
SET audience = ${name}
WHERE mailing_id = ${bigint(mailingId)} AND user_id = ANY (${bound(userIds, 'integer[]')}) AND audience <> ${name}`,
  )
}

/** The audiences whose attachments are created. */
export const finishedAudiences = async (pool: Pool, mailingId: number): Promise<Set<string>> =>
  new Set(
    await queryValues<string>(
      pool,
      sql`SELECT audience FROM docket.mailing_audience WHERE mailing_id = ${bigint(mailingId)}`,
    ),
  )

/**
 * Stores the attachments of an audience and releases its deliveries; only once, if several processes
 * created them.
 */
export const storeAttachments = (
  pool: Pool,
  mailingId: number,
  audience: string,
  attachments: readonly CreatedAttachment[],
): Promise<void> =>
  transaction(pool, async (connection) => {
    const [id, name] = [bigint(mailingId), text(audience)]
    const isFirst = await execute(
      connection,
      sql`
INSERT INTO docket.mailing_audience (mailing_id, audience)
SELECT id, ${name}
FROM docket.mailing
WHERE id = ${id}
ON CONFLICT DO NOTHING`,
    )
    if (isFirst === 0) return
    for (const [position, created] of attachments.entries())
      await storeAttachment(connection, [mailingId, audience, position], created)
    await makeDue(connection, sql`mailing_id = ${id} AND audience = ${name}`)
  })

type NewPlace = readonly [mailingId: number, audience: string, position: number]

const storeAttachment = async (
  connection: Queryable,
  place: NewPlace,
  created: CreatedAttachment,
): Promise<void> => {
  if ('file' in created) return storeFile(connection, place, created.file)
  const row = rowOf(created)
  if ('attachment' in created) {
    const { data } = created.attachment
    await connection.query(
      'INSERT INTO docket.attachment_data (hash, data) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [row.hash, Buffer.from(data.buffer, data.byteOffset, data.byteLength)],
    )
  }
  await connection.query(
    `INSERT INTO docket.attachment (mailing_id, audience, position, filename, mimetype, size, hash, fault)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [...place, row.filename, row.mimetype, row.size, row.hash, row.fault],
  )
}

/** Its bytes stay where they are, and stay there: a removal of the file at the same time waits, or has left none to attach. */
const storeFile = async (
  connection: Queryable,
  [mailingId, audience, position]: NewPlace,
  { id }: Pick<ShownFile, 'id'>,
): Promise<void> => {
  await execute(
    connection,
    sql`
INSERT INTO docket.attachment (mailing_id, audience, position, filename, mimetype, sha256)
SELECT ${bigint(mailingId)}, ${text(audience)}, ${int(position)}, f.filename, f.mimetype, f.sha256
FROM docket.file f
WHERE f.id = ${int(id)}
FOR KEY SHARE`,
  )
}

/**
 * Its attachments are not created yet for its recipient; when they are, it is taken again. A waiting
 * mailing has a job already. Its row is locked first, so that the job either releases this delivery too
 * (releaseMailing) or has ended before, and then a new job is enqueued.
 */
export const awaitAttachments = async (
  database: Queryable,
  attempt: Attempt,
  audience: string,
): Promise<void> => {
  const job = enqueue({
    kind: attachDocuments,
    payload: sql`json_build_object('mailing_id', w.id)`,
    // The delay avoids a loop between processes with two versions of a project.
    runAt: sql`now() + interval '1 second'`,
  })
  await execute(
    database,
    sql`
WITH locked AS MATERIALIZED (
  SELECT m.id, m.state
  FROM docket.delivery d
  JOIN docket.mailing m ON m.id = d.mailing_id
  WHERE d.id = ${bigint(attempt.id)}
  FOR NO KEY UPDATE OF m
), put AS (
  UPDATE docket.delivery d
  SET status = 'queued', tries = d.tries - 1, due_at = 'infinity', audience = ${text(audience)}
  FROM locked l
  WHERE d.id = ${bigint(attempt.id)} AND d.tries = ${int(attempt.tries)} AND d.status = 'sending'
    AND d.mailing_id = l.id
  RETURNING d.mailing_id
), waiting AS (
  UPDATE docket.mailing m
  SET state = 'waiting'
  FROM locked l, put p
  WHERE m.id = l.id AND p.mailing_id = l.id AND l.state <> 'waiting'
  RETURNING m.id
)
SELECT ${jobsIn(job, 'jobs')}
FROM waiting w`,
  )
}

/** Everything is created: releases every waiting delivery; one of a new audience requests its attachments. */
export const releaseMailing = (pool: Pool, mailingId: number): Promise<void> =>
  transaction(pool, async (connection) => {
    const id = bigint(mailingId)
    await execute(
      connection,
      sql`UPDATE docket.mailing SET state = 'ready' WHERE id = ${id} AND state = 'waiting'`,
    )
    await makeDue(connection, sql`mailing_id = ${id}`)
  })

/** Lets deliveries be sent that have waited for attachments. */
const makeDue = async (connection: Queryable, isMeant: Sql): Promise<void> => {
  await queryRows(
    connection,
    sql`
UPDATE docket.delivery
SET due_at = now()
WHERE ${isMeant} AND status = 'queued' AND due_at = 'infinity' AND digest_id IS NULL
RETURNING ${signalled(queuedChannel, sql`1`, 'queued')}`,
  )
}

const rowOf = (created: Exclude<CreatedAttachment, { readonly file: unknown }>) => {
  if (!('attachment' in created))
    return { filename: created.name, mimetype: null, size: null, hash: null, fault: created.fault }
  const { filename, mimetype, data } = created.attachment
  const hash = createHash('sha256').update(data).digest()
  return { filename, mimetype, size: data.byteLength, hash, fault: created.doubt ?? null }
}

/** A stored attachment without its bytes. */
export type StoredAttachment = {
  readonly position: number
  readonly filename: string
  readonly mimetype: string | null
  /** Null if it could not be created. */
  readonly size: number | null
  /** Why it could not be created, or what is wrong with it. */
  readonly fault: string | null
}

/** The attachments of an audience of a mailing, in order; undefined if they are not created yet. */
export const listAttachments = async (
  pool: Pool,
  mailingId: number,
  audience: string,
): Promise<StoredAttachment[] | undefined> => {
  const rows = await queryRows<StoredAttachment & { readonly position: number | null }>(
    pool,
    sql`
SELECT a.position, a.filename, a.mimetype, coalesce(a.size, b.bytes) AS size, a.fault
FROM docket.mailing_audience m
LEFT JOIN docket.attachment a ON a.mailing_id = m.mailing_id AND a.audience = m.audience
LEFT JOIN docket.blob b ON b.sha256 = a.sha256
WHERE m.mailing_id = ${bigint(mailingId)} AND m.audience = ${text(audience)}
ORDER BY a.position`,
  )
  return rows.length === 0 ? undefined : rows.filter(({ position }) => position !== null)
}

/** An attachment with its bytes, which may be as many as a file has: those are read while they are sent. */
export type OpenedAttachment = {
  readonly filename: string
  readonly mimetype: string
  readonly bytes: number
  readonly content: Buffer | Readable
}

/** Undefined if it was removed or never created; throws MissingBlob. */
export const openAttachment = async (
  { pool, blobs }: { readonly pool: Pool; readonly blobs: BlobStore },
  { mailingId, audience }: { readonly mailingId: number; readonly audience: string },
  position: number,
): Promise<OpenedAttachment | undefined> => {
  const row = await queryRow<AttachmentRow>(
    pool,
    sql`
SELECT a.filename, a.mimetype, coalesce(a.size, b.bytes) AS bytes, a.sha256, encode(d.data, 'base64') AS data
FROM docket.attachment a
LEFT JOIN docket.attachment_data d ON d.hash = a.hash
LEFT JOIN docket.blob b ON b.sha256 = a.sha256
WHERE a.mailing_id = ${bigint(mailingId)} AND a.audience = ${text(audience)} AND a.position = ${int(position)}
  AND (d.hash IS NOT NULL OR b.sha256 IS NOT NULL)`,
  )
  if (!row) return undefined
  const { filename, mimetype, bytes, sha256, data } = row
  const content = sha256 === null ? Buffer.from(data ?? '', 'base64') : await blobs.open(sha256)
  return { filename, mimetype, bytes, content }
}

type AttachmentRow = Omit<OpenedAttachment, 'content'> & {
  readonly sha256: string | null
  readonly data: string | null
}

// Those of an audience who read in the same language and time zone get the same PDFs: both are part of its name.
// Names of audiences have letters, digits, "-", "_" and ".".
const mark = '~'

/** The audience of those who read alike; its own name for the language and the zone of the project. */
export const audienceReading = (
  audience: string,
  project: UserReading,
  { catalog, timeZone }: UserReading,
): string =>
  catalog.locale === project.catalog.locale && timeZone === project.timeZone
    ? audience
    : [audience, catalog.locale, timeZone].join(mark)

/** The audience without the way in which it reads. */
export const audienceOfAnyReading = (name: string): string => name.split(mark, 1).join()

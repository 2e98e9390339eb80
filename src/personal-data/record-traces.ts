/** What the service keeps about one record besides its row: history, messages, jobs and answers. */
import { execute, type Queryable, queryCount, queryValue } from '../database/pool.ts'
import {
  anyOf,
  int,
  join,
  nothing,
  ref,
  type Sql,
  sql,
  table,
  text,
  texts,
} from '../database/sql.ts'
import { enteredInputs } from '../definitions/calculations/calculation-order.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import { fileColumns } from '../definitions/files.ts'
import { recordParts } from '../definitions/native-entities.ts'
import { isPersonal } from '../definitions/values/placeholders.ts'
import { isHistoryOf } from '../records/history.ts'

/** A record whose traces are removed. */
export type TracedRecord = {
  readonly catalog: Catalog
  readonly entity: Entity
  readonly id: number
}

const ofRecord = ({ entity, id }: TracedRecord, alias: string): Sql =>
  sql`${ref('entity_key', alias)} = ${text(entity.key)} AND ${ref('entity_id', alias)} = ${int(id)}`

/** The fields whose values stay in the history: neither personal, nor calculated from such, nor without a definition. */
const keptFields = ({ catalog, entity }: TracedRecord): readonly string[] =>
  entity.columns
    .filter(
      (column) =>
        !isPersonal(column) &&
        !(column.isCalculated && enteredInputs(catalog, { entity, column }).some(isPersonal)),
    )
    .map(({ name }) => name)

/** The members of an object of JSON, with other values for some of them; their order and their texts stay. */
const withMembers = (object: Sql, value: Sql): Sql => sql`(
  SELECT '{' || coalesce(string_agg(to_json(m.key)::text || ':' || ${value}, ',' ORDER BY m.place), '') || '}'
  FROM json_each(${object}) WITH ORDINALITY AS m (key, value, place)
)::json`

/** The member of a field whose values go. */
const emptied = sql`
  CASE WHEN json_typeof(m.value) = 'object' AND m.value -> 'before' IS NOT NULL
    THEN '{"before":null,"after":null}' ELSE '{"after":null}' END`

/** Which fields were changed stays in the history, and who did it and when; personal values and all comments go. */
export const emptyHistory = async (database: Queryable, record: TracedRecord): Promise<void> => {
  const value = sql`
    CASE WHEN m.key = ANY (${texts(keptFields(record))}) THEN m.value::text ELSE ${emptied} END`
  await execute(
    database,
    sql`
      UPDATE docket.history h
      SET comment = NULL, changes = ${withMembers(sql`h.changes`, value)}
      WHERE ${isHistoryOf(record.entity, int(record.id))}`,
  )
  await execute(
    database,
    sql`UPDATE docket.history h SET comment = NULL WHERE ${ofRecord(record, 'h')} AND h.comment IS NOT NULL`,
  )
}

/** Files of parts of the record go, such as of comments on it: whom they show or name cannot be looked for in them. */
export const removeFilesOfParts = async (
  database: Queryable,
  { catalog, entity, id }: TracedRecord,
): Promise<void> => {
  const record = { entity, id }
  for (const part of partsWithFiles(catalog)) {
    const names = fileColumns(part).map(({ name }) => name)
    const none = join(
      names.map((name) => sql`${ref(name)} = NULL`),
      ', ',
    )
    const hasSome = anyOf(names.map((name) => sql`${ref(name, 't')} IS NOT NULL`))
    const wasChanged = anyOf(names.map((name) => sql`h.changes -> ${text(name)} IS NOT NULL`))
    const value = sql`CASE WHEN m.key = ANY (${texts(names)}) THEN ${emptied} ELSE m.value::text END`
    for (const statement of [
      sql`DELETE FROM docket.file f WHERE ${isFileOfPart(part, record)}`,
      sql`UPDATE ${table(part)} t SET ${none} WHERE ${isPartOf(record)} AND ${hasSome}`,
      sql`
        UPDATE docket.history h
        SET changes = ${withMembers(sql`h.changes`, value)}
        WHERE h.entity_key = ${text(entity.key)} AND h.entity_id = ${int(id)}
          AND h.part_key = ${text(part.key)} AND ${wasChanged}`,
    ])
      await execute(database, statement)
  }
}

const partsWithFiles = (catalog: Catalog): readonly Entity[] =>
  [...recordParts.keys()]
    .map((key) => getEntity(catalog, key))
    .filter((part) => fileColumns(part).length > 0)

type OfRecord = Pick<TracedRecord, 'entity' | 'id'>

const isPartOf = ({ entity, id }: OfRecord): Sql =>
  sql`t.key = ${text(entity.key)} AND t.entity_id = ${int(id)}`

const isFileOfPart = (part: Entity, record: OfRecord): Sql => sql`(
  f.entity_key = ${text(part.key)}
  AND f.entity_id IN (SELECT t.id FROM ${table(part)} t WHERE ${isPartOf(record)})
)`

/** Files of the record go, and what they were: those of some of its fields, or all. Their bytes follow (blobs/sweep-blobs.ts). */
export const removeFiles = async (
  database: Queryable,
  { entity, id }: Pick<TracedRecord, 'entity' | 'id'>,
  columns?: readonly string[],
): Promise<void> => {
  if (columns?.length === 0) return
  const within = columns ? sql` AND f.column_name = ANY (${texts(columns)})` : nothing
  await execute(
    database,
    sql`
      DELETE FROM docket.file f
      WHERE f.entity_key = ${text(entity.key)} AND f.entity_id = ${int(id)}${within}`,
  )
}

/** E-mails and other messages about the record go, sent or not, with their attachments. */
export const removeMailings = (database: Queryable, record: TracedRecord): Promise<void> => {
  const isMeant = ofRecord(record, 'm')
  const remove = sql`DELETE FROM docket.mailing m WHERE ${isMeant}`
  return removeAttachments(database, isMeant, remove)
}

/**
 * Runs the statement that removes the attachments of the mailings `m` which a condition chooses, and removes their contents, unless
 * another mailing has the same.
 */
export const removeAttachments = async (
  database: Queryable,
  isMeant: Sql,
  remove: Sql,
): Promise<void> => {
  const hashes = await queryValue<readonly string[] | null>(
    database,
    sql`
      SELECT array_agg(DISTINCT encode(a.hash, 'hex')) AS hashes
      FROM docket.mailing m JOIN docket.attachment a ON a.mailing_id = m.id
      WHERE a.hash IS NOT NULL AND ${isMeant}`,
  )
  await execute(database, remove)
  await execute(
    database,
    sql`
      DELETE FROM docket.attachment_data d
      WHERE d.hash IN (SELECT decode(one, 'hex') FROM unnest(${texts(hashes ?? [])}) one)
        AND NOT EXISTS (SELECT FROM docket.attachment a WHERE a.hash = d.hash)`,
  )
}

const ofRecordJob = ({
  entity,
  id,
}: Pick<TracedRecord, 'id'> & { readonly entity: Pick<Entity, 'key'> }): Sql => sql`
  j.payload ->> 'entity_key' = ${text(entity.key)} AND j.payload ->> 'entity_id' = ${text(String(id))}`

/** Jobs about the record that wait, and those that are dead, keep what they are about without values and comments. */
export const emptyJobs = async (database: Queryable, record: TracedRecord): Promise<void> => {
  const value = sql`CASE m.key WHEN 'comment' THEN 'null' WHEN 'changes' THEN '{}' ELSE m.value::text END`
  await execute(
    database,
    sql`
      UPDATE docket.job j
      SET payload = ${withMembers(sql`j.payload`, value)}, last_error = NULL
      WHERE ${ofRecordJob(record)}`,
  )
}

/** Jobs about the record go; those about its removal stay, and have nothing else of it. */
export const removeJobs = async (
  database: Queryable,
  record: Pick<TracedRecord, 'id'> & { readonly entity: Pick<Entity, 'key'> },
): Promise<void> => {
  await execute(
    database,
    sql`
      DELETE FROM docket.job j
      WHERE ${ofRecordJob(record)} AND j.status <> 'running'
        AND j.payload ->> 'operation' IS DISTINCT FROM 'remove'`,
  )
}

/** The answer that a repeated create or change would get is an empty object, as for a caller who may not read the record any more. */
export const emptyAnswers = async (database: Queryable, record: TracedRecord): Promise<void> => {
  await execute(
    database,
    sql`UPDATE docket.idempotency_key k SET body = '{}' WHERE ${isAnswerOf(record)} AND k.body <> '{}'`,
  )
}

const isAnswerOf = ({ entity, id }: TracedRecord): Sql => {
  const path = `/${entity.key}/${id}`
  const location = sql`coalesce(k.headers ->> 'Location', k.headers ->> 'Content-Location')`
  return sql`right(${location}, ${int(path.length)}) = ${text(path)}`
}

type About = { readonly entityKey: string; readonly entityId: number; readonly placeholder: string }

const ofNotification = ({ entityKey, entityId }: Omit<About, 'placeholder'>): Sql =>
  sql`n.entity_key = ${text(entityKey)} AND n.entity_id = ${int(entityId)}`

/** Notifications about the record say no more than that there was one. */
export const emptyNotifications = async (database: Queryable, about: About): Promise<void> => {
  const value = sql`CASE m.key
    WHEN 'title' THEN to_json(${text(about.placeholder)})::text
    WHEN 'message' THEN '""'
    WHEN 'url' THEN 'null'
    ELSE m.value::text
  END`
  await execute(
    database,
    sql`
      UPDATE docket.notification n
      SET content = ${withMembers(sql`n.content`, value)}
      WHERE ${ofNotification(about)} AND n.content ->> 'title' <> ${text(about.placeholder)}`,
  )
}

/** By table, the rows about a record. */
export const countTraces = async (
  database: Queryable,
  record: TracedRecord,
): Promise<ReadonlyMap<string, number>> => {
  const { entity, id } = record
  const mailings = sql`SELECT m.id FROM docket.mailing m WHERE ${ofRecord(record, 'm')}`
  const about = { entityKey: entity.key, entityId: id }
  const ofParts = partsWithFiles(record.catalog).map((part) => isFileOfPart(part, record))
  const counted: Readonly<Record<string, Sql>> = {
    file: sql`docket.file f WHERE ${anyOf([ofRecord(record, 'f'), ...ofParts])}`,
    history: sql`docket.history h WHERE ${anyOf([isHistoryOf(entity, int(id)), ofRecord(record, 'h')])}`,
    mailing: sql`docket.mailing m WHERE ${ofRecord(record, 'm')}`,
    delivery: sql`docket.delivery d WHERE d.mailing_id IN (${mailings})`,
    attachment: sql`docket.attachment a WHERE a.mailing_id IN (${mailings})`,
    job: sql`docket.job j WHERE ${ofRecordJob(record)}`,
    idempotency_key: sql`docket.idempotency_key k WHERE ${isAnswerOf(record)}`,
    notification: sql`docket.notification n WHERE ${ofNotification(about)}`,
  }
  const counts = new Map<string, number>()
  for (const [name, rows] of Object.entries(counted))
    counts.set(name, await queryCount(database, sql`SELECT count(*) AS rows FROM ${rows}`))
  return counts
}

/** What the database stores about earlier definitions: renames and compared rules. */
import type { Queryable } from '../../database/pool.ts'

export type Rename = {
  readonly kind: 'entity' | 'field' | 'step' | 'value'
  /** For an entity: its later key. */
  readonly entityKey: string
  /** For a value: its column; otherwise empty. */
  readonly columnName: string
  /** For a field: its column names. */
  readonly earlier: string
  readonly later: string
  /** Whether history, jobs and notifications use the later name already. */
  readonly isFollowed: boolean
}

/** A rule that the records of a column were checked against. */
export type ComparedRule = {
  readonly entityKey: string
  readonly columnName: string
  readonly digest: string
}

export type SyncHistory = {
  readonly renames: readonly Rename[]
  readonly rules: readonly ComparedRule[]
}

/** Nothing when the tables do not exist yet. */
export const readSyncHistory = async (database: Queryable): Promise<SyncHistory> => {
  const { rowCount } = await database.query(
    `SELECT FROM pg_class WHERE oid = to_regclass('docket.compared_rule')`,
  )
  if (rowCount === 0) return { renames: [], rules: [] }
  const renames = await database.query<Rename>(
    `SELECT kind, entity_key AS "entityKey", column_name AS "columnName", earlier, later,
       is_followed AS "isFollowed"
     FROM docket.rename
     ORDER BY id DESC`,
  )
  const rules = await database.query<ComparedRule>(
    `SELECT entity_key AS "entityKey", column_name AS "columnName", digest
     FROM docket.compared_rule
     ORDER BY at DESC, digest`,
  )
  return { renames: renames.rows, rules: rules.rows }
}

/** Stores renames, in the transaction that applies them. */
export const storeRenames = async (
  database: Queryable,
  renames: readonly Rename[],
): Promise<void> => {
  for (const { kind, entityKey, columnName, earlier, later, isFollowed } of renames)
    await database.query(
      `INSERT INTO docket.rename (kind, entity_key, column_name, earlier, later, is_followed)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [kind, entityKey, columnName, earlier, later, isFollowed],
    )
}

/** Stores that all renames are complete, and the current rules. */
export const storeDone = async (
  database: Queryable,
  rules: readonly ComparedRule[],
): Promise<void> => {
  await database.query('UPDATE docket.rename SET is_followed = true WHERE NOT is_followed')
  await database.query(
    `INSERT INTO docket.compared_rule (entity_key, column_name, digest)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[])
     ON CONFLICT (entity_key, column_name, digest) DO UPDATE SET at = clock_timestamp()`,
    [
      rules.map(({ entityKey }) => entityKey),
      rules.map(({ columnName }) => columnName),
      rules.map(({ digest }) => digest),
    ],
  )
}

type Asked = Pick<Rename, 'kind' | 'entityKey' | 'columnName'>

/** Stored renames, by the names that entities and fields will have. */
export const renamedHistory = (
  { renames, rules }: SyncHistory,
  now: readonly Rename[],
): SyncHistory => {
  const moved = <T extends { readonly entityKey: string; readonly columnName: string }>(
    one: T,
  ): T => {
    const entityKey =
      now.find(({ kind, earlier }) => kind === 'entity' && earlier === one.entityKey)?.later ??
      one.entityKey
    const columnName =
      now.find(
        (rename) =>
          rename.kind === 'field' &&
          rename.entityKey === entityKey &&
          rename.earlier === one.columnName,
      )?.later ?? one.columnName
    return { ...one, entityKey, columnName }
  }
  return { renames: renames.map(moved), rules: rules.map(moved) }
}

/**
 * Possible names in the database: the declared earlier names, then later names stored in the database,
 * which an older version finds after a newer one has renamed.
 */
export const otherNames = (
  { renames }: SyncHistory,
  asked: Asked,
  name: string,
  declared: readonly string[],
): readonly string[] => {
  const actual = renames.filter(
    ({ kind, entityKey, columnName }) =>
      kind === asked.kind &&
      (kind === 'entity' || entityKey === asked.entityKey) &&
      columnName === asked.columnName,
  )
  const found = new Set<string>([name])
  // The set grows during the loop.
  for (const one of found)
    for (const { earlier, later } of actual) if (earlier === one) found.add(later)
  found.delete(name)
  return [...new Set([...declared, ...found])]
}

/** What the database remembers of earlier definitions: what was called otherwise, and compared rules. */
import type { Queryable } from '../../database/pool.ts'

/** That something was called otherwise before. */
export type Rename = {
  readonly kind: 'entity' | 'field' | 'step' | 'value'
  /** Of an entity: its later key. */
  readonly entityKey: string
  /** Of a value: the column that holds it; else empty. */
  readonly columnName: string
  /** Of a field: the names of its column. */
  readonly earlier: string
  readonly later: string
  /** Whether history, jobs and notifications say the later name already. */
  readonly isFollowed: boolean
}

/** A rule that the records of a column were compared with. */
export type ComparedRule = {
  readonly entityKey: string
  readonly columnName: string
  readonly digest: string
}

export type Memory = {
  /** The latest first. */
  readonly renames: readonly Rename[]
  /** The latest first. */
  readonly rules: readonly ComparedRule[]
}

/** Nothing, where the tables are not there yet. */
export const readMemory = async (database: Queryable): Promise<Memory> => {
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

/** Remembers what is called otherwise now; to stand in the transaction that renames it. */
export const rememberRenames = async (
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

/** Remembers that everything says the later names, and the rules that are in force now. */
export const rememberDone = async (
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

/** What is remembered, by the names that entities and fields will have. */
export const renamedMemory = ({ renames, rules }: Memory, now: readonly Rename[]): Memory => {
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
 * What may be called otherwise in the database: the declared earlier names, then later names that the
 * database remembers of this one, as an earlier version finds them that knows nothing of what came after.
 */
export const otherNames = (
  { renames }: Memory,
  asked: Asked,
  name: string,
  declared: readonly string[],
): readonly string[] => {
  const known = renames.filter(
    ({ kind, entityKey, columnName }) =>
      kind === asked.kind &&
      (kind === 'entity' || entityKey === asked.entityKey) &&
      columnName === asked.columnName,
  )
  const found = new Set<string>([name])
  // A set gives what is added while it is walked.
  for (const one of found)
    for (const { earlier, later } of known) if (earlier === one) found.add(later)
  found.delete(name)
  return [...new Set([...declared, ...found])]
}

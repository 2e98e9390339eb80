/** Enum words and workflow steps in records that the definition lacks. */
import { type Queryable, queryOnce, queryRows } from '../../database/pool.ts'
import {
  int,
  notDeleted,
  ref,
  type Sql,
  sql,
  table,
  tableName,
  text,
  texts,
} from '../../database/sql.ts'
import { earlierWords } from '../../definitions/earlier-keys.ts'
import { closestWord } from '../../did-you-mean.ts'
import { type Change, counted, printSql } from '../diff/change.ts'
import { storedColumn, storedTable, type TableSchema } from '../diff/schema.ts'
import { followStep, followWord, moveValues } from '../renames/follow-renames.ts'
import { otherNames, type Rename, type SyncHistory } from '../renames/sync-history.ts'

/** A column with a fixed set of words. */
export type Words = {
  readonly kind: 'step' | 'value'
  readonly actual: TableSchema
  readonly column: string
  readonly words: readonly string[]
  /** Declared earlier words by current word. */
  readonly earlier: Readonly<Record<string, readonly string[]>>
  /** The word for records with unknown words. */
  readonly fallback: string
  /** Whether a definition with exactly these words was applied before. */
  readonly isKnown: boolean
  /** The value as it will be, from the stored one. */
  readonly cellOf: (cell: Sql) => Sql
}

type Held = { readonly word: string; readonly all: number; readonly count: number }

// A text column that becomes an enum may hold any number of other words.
const maxWords = 20

/** Handles words that the definition lacks: moves them, warns, or blocks. */
export const compareWords = async (
  database: Queryable,
  history: SyncHistory,
  words: Words,
): Promise<Change[]> => {
  const held =
    words.kind === 'step' ? await heldSteps(database, words) : await heldWords(database, words)
  const successors = successorsOf(history, words)
  const moved = held.flatMap(({ word, all }) => {
    const later = successors.get(word)
    return later === undefined ? [] : moves(words, word, later, all)
  })
  const lost = held.filter(({ word, count }) => count > 0 && !successors.has(word))
  return [
    ...moved,
    ...lost.slice(0, maxWords).map((one) => lostWord(words, one)),
    ...(lost.length > maxWords ? [moreWords(words)] : []),
  ]
}

/** The renames of declared earlier words, to be stored. */
export const declaredRenames = (history: SyncHistory, words: Omit<Words, 'cellOf'>): Rename[] =>
  Object.entries(words.earlier).flatMap(([later, list]) =>
    list.flatMap((earlier) => {
      const rename = { ...askedOf(words), earlier, later, isFollowed: true }
      const isThere = history.renames.some(
        (one) =>
          one.kind === rename.kind &&
          one.entityKey === rename.entityKey &&
          one.columnName === rename.columnName &&
          one.earlier === earlier &&
          one.later === later,
      )
      return isThere ? [] : [rename]
    }),
  )

const askedOf = ({ kind, actual, column }: Pick<Words, 'kind' | 'actual' | 'column'>) => ({
  kind,
  entityKey: actual.name,
  columnName: kind === 'value' ? column : '',
})

/** The replacement of a word; none when two are possible. */
export const successorsOf = (
  history: SyncHistory,
  words: Omit<Words, 'cellOf' | 'isKnown'>,
): ReadonlyMap<string, string> => {
  const found = new Map<string, string | undefined>()
  for (const word of words.words)
    for (const other of otherNames(
      history,
      askedOf(words),
      word,
      earlierWords(words.earlier, word),
    ))
      found.set(other, found.has(other) ? undefined : word)
  return new Map(
    [...found].flatMap(([other, word]) =>
      word === undefined || words.words.includes(other) ? [] : [[other, word]],
    ),
  )
}

const moves = (words: Words, earlier: string, later: string, all: number): Change[] => {
  const { kind, actual, column } = words
  const reason = `the ${kind === 'step' ? 'step' : column} ${earlier} of ${actual.name} is ${later} now, in ${counted(all, ['record', 'records'])}`
  const table = tableName(actual.name)
  const word = { entityKey: actual.name, column, earlier, later }
  return [
    moveValues({ table, column: ref(column), reason }, earlier, later),
    ...followWord(word),
    ...(kind === 'step' ? followStep(word) : []),
  ]
}

const lostWord = (words: Words, { word, count }: Held): Change => {
  const { kind, actual, column, isKnown } = words
  const records = `${counted(count, ['record', 'records'])} of ${actual.name}`
  const reason =
    kind === 'step'
      ? `${records} ${count === 1 ? 'is' : 'are'} in the step "${word}", which its workflow no longer has`
      : `${records} ${count === 1 ? 'holds' : 'hold'} the ${column} "${word}", which its field no longer has`
  const change = { sql: moveSql(words, word), reason }
  if (isKnown) return { ...change, kind: 'warning' }
  const first =
    kind === 'step'
      ? `add the step to the workflow again, add "was": "${word}" to the step that replaced it, or move the records to another step with this statement`
      : isStored(words)
        ? `add the value again, add { "value": …, "was": "${word}" } for the value that replaced it, or change the records with this statement`
        : `add the value, add { "value": …, "was": "${word}" } for the value that replaces it, or change the records that this statement finds`
  return { ...change, kind: 'blocked', first }
}

/** Whether the column has its type already: one of another type cannot hold the words yet. */
const isStored = ({ column, cellOf }: Pick<Words, 'column' | 'cellOf'>): boolean => {
  const cell = ref(column)
  return cellOf(cell) === cell
}

const moveSql = ({ actual, column, words, fallback, cellOf }: Words, word: string): string => {
  const to = closestWord(word, words) ?? fallback
  const cell = ref(column)
  const future = cellOf(cell)
  // A column of another type cannot hold the word yet.
  if (future !== cell)
    return printSql(
      sql`SELECT id, ${cell} FROM ${table(actual.name)} WHERE ${future} = ${text(word)}`,
    )
  return printSql(
    sql`
      UPDATE ${table(actual.name)}
      SET ${cell} = ${text(to)}, _version = _version + 1
      WHERE ${cell} = ${text(word)}`,
  )
}

const moreWords = ({ actual, column, words, isKnown }: Words): Change => {
  const cell = ref(column)
  return {
    kind: isKnown ? 'warning' : 'blocked',
    sql: printSql(
      sql`
        SELECT ${cell}, count(*)
        FROM ${table(actual.name)}
        WHERE ${cell} <> ALL (${texts(words)})
        GROUP BY 1
        ORDER BY 2 DESC`,
    ),
    reason: `records of ${actual.name} hold other values of ${column} that its field no longer has`,
    first: 'replace them by values of the field (this statement lists all)',
  }
}

const heldWords = async (database: Queryable, words: Words): Promise<Held[]> => {
  const { actual, column, cellOf } = words
  const cell = cellOf(ref(storedColumn(actual, column), 't'))
  const select = sql`
    SELECT ${cell} AS word, count(*) AS all, count(*) FILTER (WHERE ${notDeleted('t')}) AS count
    FROM ${table(storedTable(actual))} t
    WHERE ${cell} <> ALL (${texts(words.words)})
    GROUP BY 1
    ORDER BY 2 DESC, 1
    LIMIT ${int(maxWords + 1)}`
  return queryRows<Held>(database, select)
}

/** Jumps from step to step in the index on `_step`, so that the number of records does not matter. */
const heldSteps = async (database: Queryable, { actual, words }: Words): Promise<Held[]> => {
  const stored = table(storedTable(actual))
  const rows = await queryOnce<{ step: string }>(
    database,
    sql`WITH RECURSIVE found AS (
       SELECT min(_step) AS step FROM ${stored}
       UNION ALL
       SELECT (SELECT min(_step) FROM ${stored} WHERE _step > found.step)
       FROM found
       WHERE found.step IS NOT NULL
     )
     SELECT step FROM found WHERE step IS NOT NULL`,
  )
  const held: Held[] = []
  for (const { step } of rows.filter(({ step }) => !words.includes(step))) {
    const select = sql`
      SELECT ${text(step)} AS word, count(*) AS all,
        count(*) FILTER (WHERE NOT _is_deleted) AS count
      FROM ${stored}
      WHERE _step = ${text(step)}`
    held.push(...(await queryRows<Held>(database, select)))
  }
  return held
}

/** Words of enums and steps of workflows that records hold and their definition lacks. */
import { type Queryable, queryOnce, queryRows } from '../../database/pool.ts'
import { int, notDeleted, ref, sql, table, tableName, text, texts } from '../../database/sql.ts'
import { earlierWords } from '../../definitions/earlier-keys.ts'
import { closestWord } from '../../did-you-mean.ts'
import { type Change, counted, printSql } from '../diff/change.ts'
import { storedColumn, storedTable, type TableSchema } from '../diff/schema.ts'
import { followStep, followWord, moveValues } from '../renames/follow-renames.ts'
import { type Memory, otherNames, type Rename } from '../renames/memory.ts'

/** A column that holds one of some words. */
export type Words = {
  readonly kind: 'step' | 'value'
  readonly known: TableSchema
  readonly column: string
  readonly words: readonly string[]
  /** Declared earlier words by the word that took their place. */
  readonly earlier: Readonly<Record<string, readonly string[]>>
  /** Where records go that nothing is known of. */
  readonly usual: string
  /** Whether a definition with these very words has been in force before. */
  readonly isKnown: boolean
}

type Held = { readonly word: string; readonly all: number; readonly count: number }

// A text that becomes an enum may hold any number of others.
const maxWords = 20

/** What is to be done with the words that the definition lacks: moved, told, or refused. */
export const compareWords = async (
  database: Queryable,
  memory: Memory,
  words: Words,
): Promise<Change[]> => {
  const held =
    words.kind === 'step' ? await heldSteps(database, words) : await heldWords(database, words)
  const successors = successorsOf(memory, words)
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

/** What is to be remembered of declared earlier words. */
export const declaredRenames = (memory: Memory, words: Words): Rename[] =>
  Object.entries(words.earlier).flatMap(([later, list]) =>
    list.flatMap((earlier) => {
      const rename = { ...askedOf(words), earlier, later, isFollowed: true }
      const isThere = memory.renames.some(
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

const askedOf = ({ kind, known, column }: Words) => ({
  kind,
  entityKey: known.name,
  columnName: kind === 'value' ? column : '',
})

/** The word that takes the place of another; none where two could. */
const successorsOf = (memory: Memory, words: Words): ReadonlyMap<string, string> => {
  const found = new Map<string, string | undefined>()
  for (const word of words.words)
    for (const other of otherNames(memory, askedOf(words), word, earlierWords(words.earlier, word)))
      found.set(other, found.has(other) ? undefined : word)
  return new Map(
    [...found].flatMap(([other, word]) =>
      word === undefined || words.words.includes(other) ? [] : [[other, word]],
    ),
  )
}

const moves = (words: Words, earlier: string, later: string, all: number): Change[] => {
  const { kind, known, column } = words
  const reason = `the ${kind === 'step' ? 'step' : column} ${earlier} of ${known.name} is ${later} now, in ${counted(all, ['record', 'records'])}`
  const table = tableName(known.name)
  const word = { entityKey: known.name, column, earlier, later }
  return [
    moveValues({ table, column: ref(column), reason }, earlier, later),
    ...followWord(word),
    ...(kind === 'step' ? followStep(word) : []),
  ]
}

const lostWord = (words: Words, { word, count }: Held): Change => {
  const { kind, known, column, isKnown } = words
  const records = `${counted(count, ['record', 'records'])} of ${known.name}`
  const reason =
    kind === 'step'
      ? `${records} ${count === 1 ? 'stands' : 'stand'} in the step "${word}", which its workflow has no more`
      : `${records} ${count === 1 ? 'holds' : 'hold'} the ${column} "${word}", which its field has no more`
  const change = { sql: moveSql(words, word), reason }
  if (isKnown) return { ...change, kind: 'warning' }
  const first =
    kind === 'step'
      ? `add the step to the workflow again, say "was": "${word}" in the step that took its place, or move the records with this statement to the step that suits them`
      : `put the word back, say { "value": …, "was": "${word}" } for the one that took its place, or give the records another with this statement`
  return { ...change, kind: 'blocked', first }
}

const moveSql = ({ known, column, words, usual }: Words, word: string): string => {
  const to = closestWord(word, words) ?? usual
  const cell = ref(column)
  return printSql(
    sql`
      UPDATE ${table(known.name)}
      SET ${cell} = ${text(to)}, _version = _version + 1
      WHERE ${cell} = ${text(word)}`,
  )
}

const moreWords = ({ known, column, words, isKnown }: Words): Change => {
  const cell = ref(column)
  return {
    kind: isKnown ? 'warning' : 'blocked',
    sql: printSql(
      sql`
        SELECT ${cell}, count(*)
        FROM ${table(known.name)}
        WHERE ${cell} <> ALL (${texts(words)})
        GROUP BY 1
        ORDER BY 2 DESC`,
    ),
    reason: `records of ${known.name} hold further words as ${column} that its field has no more`,
    first: 'give them words of the field (this statement shows all)',
  }
}

const heldWords = async (database: Queryable, words: Words): Promise<Held[]> => {
  const { known, column } = words
  const cell = ref(storedColumn(known, column), 't')
  const select = sql`
    SELECT ${cell} AS word, count(*) AS all, count(*) FILTER (WHERE ${notDeleted('t')}) AS count
    FROM ${table(storedTable(known))} t
    WHERE ${cell} <> ALL (${texts(words.words)})
    GROUP BY 1
    ORDER BY 2 DESC, 1
    LIMIT ${int(maxWords + 1)}`
  return queryRows<Held>(database, select)
}

/** It leaps from one step to the next by the index on `_step`, however many records there are. */
const heldSteps = async (database: Queryable, { known, words }: Words): Promise<Held[]> => {
  const stored = table(storedTable(known))
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

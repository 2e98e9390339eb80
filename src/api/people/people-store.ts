/** Queries about the users whom a caller may pick for a task or a link. */
import { type Queryable, queryOnce } from '../../database/pool.ts'
import {
  allOf,
  anyOf,
  bigint,
  join,
  nothing,
  ref,
  type Sql,
  sql,
  table,
} from '../../database/sql.ts'
import type { RecordScope } from '../../query/access.ts'
import { compileScope, occursIn } from '../../query/compile-select.ts'
import { beginningOf, patternOf } from '../../query/search/word-pattern.ts'
import { activeUser } from '../../users/user-store.ts'

export type Person = { readonly id: number; readonly full_name: string | null }

type Search = {
  /** Users who may be picked, and those whose e-mail may be searched. */
  readonly picked: RecordScope
  readonly searchedByEmail: RecordScope
  readonly isNameVisible: boolean
  readonly words: readonly string[]
  readonly limit: number
}

/** Active users who match every word; names that begin with the words come first. */
export const searchPeople = async (
  database: Queryable,
  { picked, searchedByEmail, isNameVisible, words, limit }: Search,
): Promise<readonly Person[]> => {
  const emails = compileScope(searchedByEmail, false, 'u')
  const matching = words.map((word) => {
    const pattern = patternOf(word)
    const ofName = isNameVisible ? [occursIn(ref('full_name', 'u'), pattern)] : []
    return anyOf([...ofName, sql`(${emails} AND ${occursIn(ref('email', 'u'), pattern)})`])
  })
  const name = isNameVisible ? ref('full_name', 'u') : sql`NULL::text`
  const order = isNameVisible ? sql`${rankOf(words)}u.full_name, ` : nothing
  const conditions = allOf([activeUser('u'), compileScope(picked, false, 'u'), ...matching])
  const select = sql`
    SELECT u.id, ${name} AS full_name
    FROM ${table('user')} u
    WHERE ${conditions}
    ORDER BY ${order}u.id
    LIMIT ${bigint(limit)}`
  return queryOnce<Person>(database, select)
}

/** First the names that begin with all words, then those of which a word begins with the first one. */
const rankOf = (words: readonly string[]): Sql => {
  const [first] = words
  if (first === undefined) return nothing
  const ranks = [beginningOf(words.join(' ')), patternOf(` ${first}`)]
  return sql`${join(
    ranks.map((pattern) => sql`NOT ${occursIn(ref('full_name', 'u'), pattern)}`),
    ', ',
  )}, `
}

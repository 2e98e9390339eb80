/** The users whom a caller may pick over HTTP: id and name, for an assignee or a link. */
import { type Caller, lackingRoles } from '../../auth/caller.ts'
import { isHidden } from '../../auth/entity-rights.ts'
import type { Permissions } from '../../auth/permissions.ts'
import { type Pool, type Queryable, queryOnce } from '../../database/pool.ts'
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
import { type Catalog, type Column, type Entity, getEntity } from '../../definitions/catalog.ts'
import { textIssue } from '../../definitions/values/check-text.ts'
import { apiError } from '../../errors.ts'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { integer, type Parameter } from '../../http/endpoint/parameters.ts'
import { component, dataOf, json, objectOf, type ValueOf } from '../../http/openapi/operation.ts'
import { type RecordScope, shownIn } from '../../query/access.ts'
import { compileScope } from '../../query/compile-scope.ts'
import { occursIn } from '../../query/compile-select.ts'
import { beginningOf, patternOf } from '../../query/search/word-pattern.ts'
import { activeUser } from '../../users/user-store.ts'

export type PeopleDeps = {
  readonly pool: Pool
  readonly catalog: Catalog
  readonly permissions: Permissions
}

const longestSearch = 100
const maxWords = 10

/** Words that all have to match. */
export const wordsOf = (matched: string): Parameter<readonly string[], readonly string[]> => ({
  description: `Words that ${matched}; upper and lower case are the same. At most ${longestSearch} characters and ${maxWords} words.`,
  schema: { type: 'string', maxLength: longestSearch },
  absent: [],
  read: (given) => {
    if (given.length > longestSearch)
      return { issue: `has ${given.length} characters, at most ${longestSearch} are allowed` }
    const issue = textIssue(given)
    if (issue !== undefined) return { issue }
    const words = given.split(/\s+/).filter((word) => word !== '')
    return words.length > maxWords
      ? { issue: `has ${words.length} words, at most ${maxWords} are allowed` }
      : words
  },
})

const person = component(
  'Person',
  objectOf({
    id: { type: 'integer' },
    full_name: { type: ['string', 'null'], description: 'Null for a role that hides it.' },
  }),
)

export type Person = ValueOf<typeof person>

/** /api/people. */
export const peopleEndpoints = [
  endpoint({
    tag: 'Tasks',
    who: 'caller',
    method: 'get',
    path: '/api/people',
    id: 'listPeople',
    summary: 'Users to pick as an assignee, or to link to',
    description:
      'Active users: all of them for callers who may assign tasks of some entity, otherwise those whom the caller may read.',
    query: {
      q: wordsOf('the name contains, or the e-mail where you may read it'),
      limit: integer({ min: 1, max: 50, default: 20, description: 'Maximum number of users.' }),
    },
    errors: ['caller.forbidden'],
    answers: {
      200: json('By name; names that begin with the words come first.', dataOf(person)),
    },
    handle: async ({ caller, query }, { pool, ...deps }: PeopleDeps) => {
      const { catalog, permissions } = deps
      const people = getEntity(catalog, 'user')
      const access = permissions.accessOf(caller)
      const readable = access.readScope(people)
      const picked = mayAssign(deps, caller) ? 'all' : readable
      if (picked === 'none')
        throw apiError(
          'caller.forbidden',
          `${lackingRoles(caller)} permission "tasks" on every entity that it may read, and "read" on "user".`,
        )
      const { limit, q: words } = query
      const isNameVisible = !access.hides(people, columnOf(people, 'full_name'))
      const isEmailVisible = access.maySee(people, columnOf(people, 'email'))
      const searchedByEmail = isEmailVisible ? shownIn(readable, columnOf(people, 'email')) : 'none'
      const search = { picked, searchedByEmail, isNameVisible, words, limit }
      return { data: await searchPeople(pool, search) }
    },
  }),
]

const mayAssign = ({ catalog, permissions }: Omit<PeopleDeps, 'pool'>, caller: Caller): boolean => {
  const task = getEntity(catalog, 'task')
  if (isHidden(permissions.rightsOf(caller, task), columnOf(task, 'assigne_id'))) return false
  return [...catalog.entities.values()].some((entity) =>
    (['read', 'tasks'] as const).every(
      (right) => permissions.scopeOf(caller, right, entity) !== 'none',
    ),
  )
}

const columnOf = (entity: Entity, name: string): Column => {
  const column = entity.columnsByName.get(name)
  if (!column) throw new Error(`The entity ${entity.key} has no column ${name}.`)
  return column
}

type Search = {
  /** Users who may be picked, and those whose e-mail may be searched. */
  readonly picked: RecordScope
  readonly searchedByEmail: RecordScope
  readonly isNameVisible: boolean
  readonly words: readonly string[]
  readonly limit: number
}

/** Active users who match every word; names that begin with the words come first. */
const searchPeople = async (
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

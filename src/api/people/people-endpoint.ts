/** The users whom a caller may pick over HTTP: id and name, for an assignee or a link. */
import { type Caller, lackingRoles } from '../../auth/caller.ts'
import type { Permissions } from '../../auth/permissions.ts'
import { grantedBy, readableBy } from '../../auth/readable-records.ts'
import { type Pool, type Queryable, queryOnce, queryRows } from '../../database/pool.ts'
import {
  allOf,
  anyOf,
  bigint,
  int,
  join,
  notDeleted,
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
import { flag, integer, maxRecordId, type Parameter } from '../../http/endpoint/parameters.ts'
import { component, dataOf, json, objectOf, type ValueOf } from '../../http/openapi/operation.ts'
import { type RecordScope, shownIn } from '../../query/access.ts'
import { compileScope } from '../../query/compile-scope.ts'
import { occursIn } from '../../query/compile-select.ts'
import { beginningOf, patternOf } from '../../query/search/word-pattern.ts'
import { pickablePeople } from '../../records/pickable-people.ts'
import { unknownRecord } from '../../records/read-records.ts'
import { activeUser, heldRolesOf, holder } from '../../users/user-store.ts'

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

type RecordOfPath = { readonly key: string; readonly id: number }

/** A record as `order/12`. */
const readRecord: Parameter<RecordOfPath, undefined> = {
  description:
    'A record, such as `order/12`: only users who may read it, such as those who may be mentioned there.',
  schema: { type: 'string', pattern: '^[a-z][a-z0-9_]*/[1-9][0-9]*$' },
  absent: undefined,
  read: (given) => {
    const [, key = '', id = ''] = /^([a-z][a-z0-9_]*)\/([1-9]\d{0,9})$/.exec(given) ?? []
    return key !== '' && Number(id) <= maxRecordId
      ? { key, id: Number(id) }
      : { issue: 'must be an entity and the id of a record, such as order/12' }
  },
}

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
      reads: readRecord,
      internal: flag('With `reads`, only those who see internal comments on it too.'),
    },
    errors: ['caller.forbidden', 'entity.unknown', 'record.unknown'],
    answers: {
      200: json('By name; names that begin with the words come first.', dataOf(person)),
    },
    handle: async ({ caller, query }, { pool, ...deps }: PeopleDeps) => {
      const { catalog, permissions } = deps
      const people = getEntity(catalog, 'user')
      const access = permissions.accessOf(caller)
      const readable = access.readScope(people)
      const picked = pickablePeople(deps, caller)
      if (picked === 'none')
        throw apiError(
          'caller.forbidden',
          `${lackingRoles(caller)} permission "tasks" on every entity that it may read, and "read" on "user".`,
        )
      const { limit, q: words } = query
      const isNameVisible = !access.hides(people, columnOf(people, 'full_name'))
      const isEmailVisible = access.maySee(people, columnOf(people, 'email'))
      const searchedByEmail = isEmailVisible ? shownIn(readable, columnOf(people, 'email')) : 'none'
      const { reads, internal } = query
      const readers = reads && (await readersOf({ pool, ...deps }, caller, reads, internal))
      const search = { picked, searchedByEmail, isNameVisible, words, limit, readers }
      return { data: await searchPeople(pool, search) }
    },
  }),
]

/** Whether the user `holder` may read a record, which the caller may read; an error 404 otherwise. */
const readersOf = async (
  { pool, ...deps }: PeopleDeps,
  caller: Caller,
  { key, id }: RecordOfPath,
  isInternal: boolean,
): Promise<Sql> => {
  const entity = deps.permissions.entityFor(caller, key)
  const scope = deps.permissions.permit(caller, 'read', entity)
  const record = sql`SELECT FROM ${table(entity)} t WHERE t.id = ${int(id)} AND ${notDeleted('t')}`
  const mayRead = compileScope(scope, entity.hasOwner, 't')
  const found = await queryRows(pool, sql`${record} AND ${mayRead}`)
  if (found.length === 0) throw unknownRecord(entity, id)
  const internal = isInternal
    ? sql` AND ${grantedBy(deps, 'internalComments', entity, 't', holder)}`
    : nothing
  return sql`EXISTS (${record} AND ${readableBy(deps, entity, 't', holder)}${internal})`
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
  /** Whether the `holder` may read a record. */
  readonly readers: Sql | undefined
}

/** Active users who match every word; names that begin with the words come first. */
const searchPeople = async (
  database: Queryable,
  { picked, searchedByEmail, isNameVisible, words, limit, readers }: Search,
): Promise<readonly Person[]> => {
  const emails = compileScope(searchedByEmail, false, 'u')
  const matching = words.map((word) => {
    const pattern = patternOf(word)
    const ofName = isNameVisible ? [occursIn(ref('full_name', 'u'), pattern)] : []
    return anyOf([...ofName, sql`(${emails} AND ${occursIn(ref('email', 'u'), pattern)})`])
  })
  const name = isNameVisible ? ref('full_name', 'u') : sql`NULL::text`
  const order = isNameVisible ? sql`${rankOf(words)}u.full_name, ` : nothing
  const conditions = allOf([
    activeUser('u'),
    compileScope(picked, false, 'u'),
    ...matching,
    ...(readers ? [readers] : []),
  ])
  const roles = readers
    ? sql`
    LEFT JOIN ${table('security_role')} r ON r.id = u.security_role_id AND ${notDeleted('r')}
    ${heldRolesOf(sql`SELECT f.user_id FROM ${table('user_role')} f`)}`
    : nothing
  const select = sql`
    SELECT u.id, ${name} AS full_name
    FROM ${table('user')} u${roles}
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

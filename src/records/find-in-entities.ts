/**
 * The search over all entities that the caller may read (docs/search.md), the best first, with a time limit for each
 * statement and for all: a large table cannot keep the answer from coming.
 */
import type { Caller } from '../auth/caller.ts'
import { databaseError, isRecoveryConflict } from '../database/database-errors.ts'
import { type Pool, type Queryable, queryOnce } from '../database/pool.ts'
import { raw } from '../database/sql.ts'
import { transaction } from '../database/transaction.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { integer, type Parameter, text } from '../http/endpoint/parameters.ts'
import { component, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { kept } from '../kept.ts'
import { criteriaLimits } from '../query/criteria/criteria-limits.ts'
import { wordsOf } from '../query/search/word-pattern.ts'
import {
  displayOf,
  type Found,
  findByLink,
  findInEntity,
  mainLink,
  matches,
  type Place,
} from './find-in-entity.ts'
import type { RecordDeps } from './record-request.ts'

// Of another field than the name.
const exactRank = matches.length

/** How good a match is, the best 0. */
const rankIn = (place: Place): ((found: Found) => number) => {
  const name = displayOf(place)?.name ?? 'id'
  return ({ field, match }) => matches.indexOf(match) + (field === name ? 0 : exactRank)
}

/** Names in which the text is a larger part come first; of other matches, the name says nothing. */
const lengthOf = ({ display }: Found, rank: number): number =>
  rank < exactRank ? display.length : 0

type Ranked = { readonly one: Found; readonly rank: number; readonly length: number }

const byMatch = (a: Ranked, b: Ranked): number => a.rank - b.rank || a.length - b.length

/**
 * Each record once, the best first: those whose name matches, then those with another field that is the text, then those
 * with such a title or link. The second keep their places if there are more names than the limit.
 */
const rankedIn = (place: Place, found: readonly Found[], limit: number): readonly Ranked[] => {
  const rankOf = rankIn(place)
  const all = found.map((one): Ranked => {
    const rank = rankOf(one)
    return { one, rank, length: lengthOf(one, rank) }
  })
  const once = new Map(
    all.toSorted((a, b) => b.rank - a.rank).map((ranked) => [ranked.one.id, ranked] as const),
  )
  const best = [...once.values()].sort((a, b) => byMatch(a, b) || b.one.id - a.one.id)
  const names = best.filter(({ rank }) => rank < exactRank)
  const exact = best.filter(({ rank }) => rank === exactRank)
  const others = best.filter(({ rank }) => rank > exactRank)
  return [...names.slice(0, Math.max(1, limit - exact.length)), ...exact, ...others].slice(0, limit)
}

/** The best few of each entity, the best of all first. Of equal ones, those of the project come before native ones. */
const bestOfAll = (
  places: readonly Place[],
  foundIn: ReadonlyMap<string, readonly Found[]>,
  limit: number,
): readonly Found[] =>
  places
    .flatMap((place) =>
      rankedIn(place, foundIn.get(place.entity.key) ?? [], limit).map((ranked) => ({
        ...ranked,
        origin: Number(place.entity.isNative),
      })),
    )
    .toSorted((a, b) => a.rank - b.rank || a.origin - b.origin || byMatch(a, b))
    .map(({ one }) => one)

/** The best records of an entity whose name is the text, or has it at the beginning of words. */
const namedIn = (
  place: Place,
  found: readonly Found[],
  limit: number,
): ReadonlyMap<number, string> =>
  new Map(
    rankedIn(place, found, limit)
      .filter(({ rank }) => rank <= matches.indexOf('word'))
      .map(({ one }) => [one.id, one.display]),
  )

/** How many entities the links of an entity lead to, by its key: an order comes before its lines, which link to it. */
const reachesIn = kept(
  (catalog: Catalog): ReadonlyMap<string, number> =>
    new Map([...catalog.entities.values()].map((one) => [one.key, reachOf(catalog, one)])),
)

const reachOf = ({ entities }: Catalog, entity: Entity): number => {
  const reached = new Set([entity.key])
  for (const key of reached)
    for (const { target, isSystem } of entities.get(key)?.columns ?? [])
      if (target !== undefined && !isSystem) reached.add(target)
  return reached.size
}

/** The entities of the project before those of the service, and what others link to before them. */
const inOrder = (catalog: Catalog): readonly Entity[] => {
  const reaches = reachesIn(catalog)
  const reach = ({ key }: Entity) => reaches.get(key) ?? 0
  return [...catalog.entities.values()].sort(
    (a, b) => Number(a.isNative) - Number(b.isNative) || reach(a) - reach(b),
  )
}

const statementMs = 300
const allMs = 2000
/** Connections that one request uses at the same time. */
const lanes = 2

type Finding = {
  /** The best first. */
  readonly data: readonly Found[]
  /** Keys of the entities that were not searched to the end. */
  readonly incomplete: readonly string[]
}

type Task = {
  readonly place: Place
  readonly run: (connection: Queryable) => Promise<void>
}

type Search = {
  readonly pool: Pool
  /** When it has to be done, by `performance.now()`. */
  readonly end: number
  readonly incomplete: Set<string>
}

const findInEntities = async (
  pool: Pool,
  places: readonly Place[],
  words: readonly string[],
  limit: number,
): Promise<Finding> => {
  const search = { pool, end: performance.now() + allMs, incomplete: new Set<string>() }
  const foundIn = new Map(places.map(({ entity }) => [entity.key, [] as Found[]]))
  const tasks = places.map((place): Task => {
    const found = foundIn.get(place.entity.key) ?? []
    return { place, run: (connection) => findInEntity(connection, place, words, { limit, found }) }
  })
  await runTasks(search, tasks)
  await runTasks(search, linkTasks(places, foundIn, limit))
  return {
    data: bestOfAll(places, foundIn, limit),
    incomplete: places.map(({ entity }) => entity.key).filter((key) => search.incomplete.has(key)),
  }
}

/** The searches for records that link to those which were found by their names; none where enough were found. */
const linkTasks = (
  places: readonly Place[],
  foundIn: ReadonlyMap<string, Found[]>,
  limit: number,
): readonly Task[] => {
  const names = new Map(
    places.map((place) => [
      place.entity.key,
      namedIn(place, foundIn.get(place.entity.key) ?? [], limit),
    ]),
  )
  return places.flatMap((place): Task[] => {
    const found = foundIn.get(place.entity.key) ?? []
    const link = mainLink(place)
    const linked = names.get(link?.target ?? '')
    if (!link || !linked?.size || new Set(found.map(({ id }) => id)).size >= limit) return []
    const run = async (connection: Queryable) => {
      const options = { link, names: linked, limit: limit + found.length }
      found.push(...(await findByLink(connection, place, options)))
    }
    return [{ place, run }]
  })
}

/** Runs each task within the time limit of a statement, as many as there is time for. */
const runTasks = async (
  { pool, end, incomplete }: Search,
  tasks: readonly Task[],
): Promise<void> => {
  const waiting = [...tasks]
  const next = () => (performance.now() < end ? waiting.shift() : undefined)
  const work = async () => {
    for (let task = next(); task; task = next()) {
      let current = task
      try {
        await transaction(pool, async (connection) => {
          await queryOnce(connection, raw(`SET LOCAL statement_timeout = ${statementMs}`))
          for (let one: Task | undefined = current; one; one = next()) {
            current = one
            await one.run(connection)
          }
        })
      } catch (error) {
        if (!isTooSlow(error)) {
          // The answer is an error, so the other lanes need not go on.
          waiting.length = 0
          throw error
        }
        incomplete.add(current.place.entity.key)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(lanes, tasks.length) }, work))
  for (const { place } of waiting) incomplete.add(place.entity.key)
}

/** Another server may answer what a conflict on a replica has cancelled: that is no matter of the entity. */
const isTooSlow = (error: unknown): boolean => {
  if (isRecoveryConflict(error)) return false
  const code = databaseError(error)?.code
  return code === 'request.too-slow' || code === 'request.contended'
}

const q: Parameter<readonly string[], readonly string[]> = {
  description: `An id, a unique value, or up to ${criteriaLimits.words} words of the display field or the title; nothing is found without any.`,
  schema: { type: 'string', maxLength: criteriaLimits.searchText },
  absent: [],
  read: (given) => {
    const result = wordsOf(given)
    return 'words' in result ? result.words : result
  },
}

const found = component(
  'FoundRecord',
  objectOf(
    {
      entity: { type: 'string', description: 'Key of the entity.' },
      id: { type: 'integer' },
      display: {
        type: 'string',
        description: 'The display field, at most 200 characters; the id where there is none.',
      },
      field: { type: 'string', description: 'The field that matches.' },
      match: {
        type: 'string',
        enum: [...matches],
        description:
          'The value is the text, the display field begins with it, its words begin with those of the text, it or the title contains them, or the field links to a record whose display field matches in one of the first three ways.',
      },
      linked: {
        type: 'string',
        description: 'What that record is called; only of the match `linked`.',
      },
    },
    { required: ['entity', 'id', 'display', 'field', 'match'] },
  ),
)

const foundRecords = objectOf({
  data: { type: 'array', items: found },
  incomplete: {
    type: 'array',
    items: { type: 'string' },
    description: 'Keys of the entities whose search reached its time limit.',
  },
})
export type FoundRecord = ValueOf<typeof found>
export type FoundRecords = ValueOf<typeof foundRecords>

const findRecords = endpoint({
  tag: 'Search',
  who: 'caller',
  isByRights: true,
  method: 'get',
  path: '/api/search',
  id: 'findRecords',
  summary: 'Find records of all entities',
  description:
    'The best few records of each entity that the caller may read. Each entity has a time limit.',
  query: {
    q,
    entity: text('Key of the only entity to search.'),
    limit: integer({ min: 1, max: 20, default: 5, description: 'The most records of one entity.' }),
  },
  errors: ['entity.unknown'],
  answers: {
    200: json(
      'Matches of the display field first, in the order of `match`, shorter ones before longer ones, then exact ones of other fields, then titles, then links.',
      foundRecords,
    ),
  },
  handle: async ({ caller, query }, deps: RecordDeps) => {
    const places = askedPlaces(readablePlaces(caller, deps), query.entity, deps)
    if (query.q.length === 0) return { data: [], incomplete: [] }
    return deps.read((pool) => findInEntities(pool, places, query.q, query.limit))
  },
})

/** The entities that the caller may read, those of the project first. */
const readablePlaces = (
  caller: Caller,
  { catalog, permissions, timeZone }: RecordDeps,
): readonly Place[] => {
  const access = permissions.accessOf(caller)
  return inOrder(catalog).flatMap((entity): Place[] => {
    const scope = permissions.scopeOf(caller, 'read', entity)
    const id = entity.columnsByName.get('id')
    const isReadable = scope !== 'none' && id !== undefined && access.maySee(entity, id)
    return isReadable ? [{ catalog, entity, access, scope, timeZone }] : []
  })
}

/** One of them, or all. An entity that the caller may not read counts as missing: nothing distinguishes it from others. */
const askedPlaces = (
  places: readonly Place[],
  key: string | undefined,
  { catalog }: RecordDeps,
): readonly Place[] => {
  if (key === undefined) return places
  const entities = new Map(places.map(({ entity }) => [entity.key, entity]))
  const asked = getEntity({ ...catalog, entities }, key)
  return places.filter(({ entity }) => entity === asked)
}

export const findEndpoints = [findRecords]

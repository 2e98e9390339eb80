/** Finding any record by a few characters, in every entity that the caller may read. */
import type { Caller } from '../auth/caller.ts'
import { getEntity } from '../definitions/catalog.ts'
import { endpoint } from '../http/endpoint/endpoint.ts'
import { integer, type Parameter, text } from '../http/endpoint/parameters.ts'
import { component, json, objectOf, type ValueOf } from '../http/openapi/operation.ts'
import { criteriaLimits } from '../query/criteria/criteria-limits.ts'
import { wordsOf } from '../query/search/word-pattern.ts'
import { findInEntities, inOrder } from './find-in-entities.ts'
import { matches, type Place } from './find-in-entity.ts'
import type { RecordDeps } from './record-request.ts'

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

/** One of them, or all. An entity that the caller may not read counts as missing: nothing tells it from others. */
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

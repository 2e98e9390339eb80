/** Finding any record by a few characters, in every entity that the caller may read. */
import type { Entity } from '../../definitions/catalog.ts'
import { endpoint } from '../../http/endpoint/endpoint.ts'
import { integer, type Parameter } from '../../http/endpoint/parameters.ts'
import { component, json, objectOf } from '../../http/openapi/operation.ts'
import { criteriaLimits } from '../../query/criteria/criteria-limits.ts'
import { wordsOf } from '../../query/search/words.ts'
import type { RecordDeps } from '../record-request.ts'
import { findInEntities } from './find-in-entities.ts'
import { matches, type Place } from './find-in-entity.ts'

const q: Parameter<readonly string[], readonly string[]> = {
  description: `An id, a unique value, or up to ${criteriaLimits.words} words of the display field; nothing is found without any.`,
  schema: { type: 'string', maxLength: criteriaLimits.searchText },
  absent: [],
  read: (given) => {
    const result = wordsOf(given)
    return 'words' in result ? result.words : result
  },
}

const found = component(
  'FoundRecord',
  objectOf({
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
        'The value is the text, the display field begins with it, or contains its words.',
    },
  }),
)

/** The entities of the project before those of the service. */
const byOrigin = (a: Entity, b: Entity): number => Number(a.isNative) - Number(b.isNative)

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
    limit: integer({ min: 1, max: 20, default: 5, description: 'The most records of one entity.' }),
  },
  answers: {
    200: json(
      'Exact matches first, then those by the beginning of the display field, then by its words; newest first.',
      objectOf({
        data: { type: 'array', items: found },
        incomplete: {
          type: 'array',
          items: { type: 'string' },
          description: 'Keys of the entities whose search reached its time limit.',
        },
      }),
    ),
  },
  handle: async ({ caller, query }, deps: RecordDeps) => {
    const { catalog, permissions, timeZone, readPool } = deps
    const access = permissions.accessOf(caller)
    const entities = [...catalog.entities.values()].sort(byOrigin)
    const places = entities.flatMap((entity): Place[] => {
      const scope = permissions.scopeOf(caller, 'read', entity)
      const id = entity.columnsByName.get('id')
      const isReadable = scope !== 'none' && id !== undefined && access.maySee(entity, id)
      return isReadable ? [{ catalog, entity, access, scope, timeZone }] : []
    })
    if (query.q.length === 0) return { data: [], incomplete: [] }
    return findInEntities(readPool, places, query.q, query.limit)
  },
})

/** /api/search. */
export const findEndpoints = [findRecords]

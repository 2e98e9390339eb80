/**
 * How every path of the OpenAPI document is asked by a user who may not read a record: those of entities by a row here,
 * those of the service by a valid request, or by what could show something. A path without either fails the test.
 */
import { exportFormatNames } from '../../../src/export/export-formats.ts'
import { mailOf, type World } from './a-marked-world.ts'
import { type Sample, serviceRows } from './service-rows.ts'
import type { Sight } from './sights.ts'

export type Asked = Sample

export type Place = {
  readonly world: World
  readonly sight: Sight
  /** Of the path, or about which a path of the service is asked. */
  readonly entity: string
  /** A record of it. */
  readonly id: number
  /** A marker of that record, which a search may contain. */
  readonly marker: string
}

export type PathRow = {
  readonly door: string
  /**
   * Asked for each record, of which a foreign one has the answer of one that does not exist, for each entity, or once; or
   * by a test of its own.
   */
  readonly of: 'record' | 'entity' | 'service' | 'apart'
  readonly asks?: (place: Place) => readonly Asked[]
  readonly isWrite?: true
}

const record = (door: string, asks?: PathRow['asks']): PathRow => ({
  door,
  of: 'record',
  ...(asks && { asks }),
})
const change = (door: string, asks?: PathRow['asks']): PathRow => ({
  ...record(door, asks),
  isWrite: true,
})
const service = (door: string, ...asks: readonly Asked[]): PathRow => ({
  door,
  of: 'service',
  ...(asks.length > 0 && { asks: () => asks }),
})

const bodies = (...all: readonly unknown[]): readonly Asked[] => all.map((body) => ({ body }))

/** Entity tags that the record may have, and one of any version. */
const tags = ['"2"', '*']
const withTags = (name: string, asked: Asked = {}): readonly Asked[] => [
  asked,
  ...tags.map((tag) => ({ ...asked, headers: { [name]: tag } })),
]

const ofRecord = '/{entityKey}/{entityId}'
const native = ['user', 'task', 'comment', 'saved_view']

/** Paths that may lead to what the user may not see. */
const pathsOf = ({ world: { project }, entity }: Place): readonly string[] => {
  if (native.includes(entity))
    return ['_created_by.job_title', 'home.mark', 'job_title', 'description']
  const { text, amount } = project.secrets
  const links = ['up', 'peer'].flatMap((link) => [`${link}.mark`, `${link}.${text}`])
  return [
    text,
    amount,
    'mark',
    ...links,
    'holder.job_title',
    'holder.home.mark',
    '_created_by.phone',
  ]
}

const amountsOf = ({ world: { project } }: Place): readonly string[] =>
  ['', 'up.', 'peer.'].flatMap((link) => [`${link}amount`, `${link}${project.secrets.amount}`])

const listsOf = ({ world: { project }, entity }: Place): readonly string[] =>
  Object.keys(project.shapes.find(({ key }) => key === entity)?.lists ?? {})

/** Criteria that would show a record by its values, its order, its number or its groups. */
const searches = (place: Place): readonly Asked[] => {
  const paths = pathsOf(place)
  const { marker } = place
  return bodies(
    {},
    { $search: marker },
    { $search: marker.slice(0, 9) },
    { $where: { _is_deleted: true }, $count: true },
    { $after: null, $orderBy: ['-id'] },
    ...paths.map((path) => ({ $select: ['id', path] })),
    ...paths.map((path) => ({ $orderBy: [path], $after: null })),
    ...paths.map((path) => ({ $where: { [path]: { $ne: null } }, $group: [path] })),
    ...paths.map((path) => ({ $where: { [path]: marker }, $count: true })),
    ...amountsOf(place).map((path) => ({ $aggregate: { min: [path], max: [path], sum: [path] } })),
    ...listsOf(place).map((list) => ({ $where: { [list]: { $some: { mark: marker } } } })),
  )
}

const exportsOf = (place: Place): readonly Asked[] => [
  ...exportFormatNames.map((format) => ({ query: `format=${format}`, body: {} })),
  ...pathsOf(place).map((path) => ({ query: 'format=ndjson', body: { $select: ['id', path] } })),
]

const bulks = ({ id, marker }: Place): readonly Asked[] =>
  bodies(
    ...[1, 2].map((version) => ({
      ids: [id],
      do: { change: { is_on: true } },
      versions: { [id]: version },
    })),
    { ids: [id], do: { change: { level: 1 } }, dryRun: true },
    { ids: [id], do: { remove: true }, dryRun: true },
    { change: [{ id, _version: 1, is_on: true }] },
    { remove: [{ id }], dryRun: true },
    { criteria: { $search: marker }, do: { action: 'note' } },
    { ids: [id], do: { takeOwnership: true } },
    { ids: [id], do: { action: 'note' } },
  )

const about = (entityKey: string, more: object) => ({
  body: { operation: 'proceedToStep', action: 'note', entityKey, ...more },
})

/** Assignees may complete their own, whatever they read. */
const tasksOfOthers = ({ world, sight }: Place): readonly number[] =>
  world.tasks.flatMap(({ id, assignee }) => (assignee === sight.user.name ? [] : [id])).slice(0, 2)

/** Comments on other records than that of the path, and on it. */
const someComments = ({ world, id }: Place): readonly number[] =>
  world.comments
    .toSorted((one, other) => Number(other.recordId === id) - Number(one.recordId === id))
    .map((one) => one.id)
    .slice(0, 2)

/** Links of other records to this one. */
const linking = ({ world: { project }, entity, id }: Place, more: object = {}) =>
  project.shapes.flatMap(({ key, links }) =>
    ['up', 'peer'].flatMap((link): Asked[] =>
      links[link] === entity
        ? [{ params: { entityKey: key }, body: { [`${link}_id`]: id, ...more } }]
        : [],
    ),
  )

const ownRows: readonly PathRow[] = [
  {
    door: 'GET /{entityKey}',
    of: 'entity',
    asks: (place) => [
      { query: 'limit=100' },
      { query: 'limit=2&page=2&sort=-id' },
      ...['up', 'peer', 'holder', 'team', '_created_by'].map((link) => ({
        query: `include=${link}`,
      })),
      ...pathsOf(place).map((path) => ({ query: `sort=${path}` })),
    ],
  },
  { door: 'POST /{entityKey}/search', of: 'entity', asks: searches },
  { door: 'POST /{entityKey}/export', of: 'entity', asks: exportsOf },
  record('POST /{entityKey}/actions', ({ id }) => bodies({ ids: [id] })),
  change('POST /{entityKey}/bulk', bulks),
  change('POST /{entityKey}', (place) => [...linking(place), ...linking(place, { level: 'none' })]),
  record(`GET ${ofRecord}`, () => [
    ...withTags('If-None-Match'),
    { query: 'include=up,peer,holder' },
    { query: 'include=_created_by' },
  ]),
  record(`GET ${ofRecord}/history`),
  record(`GET ${ofRecord}/file/{fileId}`, ({ world, entity }) =>
    world.files.flatMap(({ entity: key, fileId }) =>
      key === entity ? [{ params: { fileId } }, { params: { fileId }, query: 'size=160' }] : [],
    ),
  ),
  record(`GET ${ofRecord}/actions`),
  record(`GET ${ofRecord}/notified`),
  record(`GET ${ofRecord}/documents`),
  record(`GET ${ofRecord}/documents/{code}`, ({ entity }) => [{ params: { code: entity } }]),
  record(`GET ${ofRecord}/documents/{code}/picture`, ({ entity }) => [
    { params: { code: entity } },
  ]),
  record(`GET ${ofRecord}/task`),
  change(`PATCH ${ofRecord}`, () => [
    ...withTags('If-Match', { body: { is_on: true } }),
    ...bodies({}, { level: 'none' }, { unknown: 1 }, { up_id: 1 }, { peer_id: 2 }),
  ]),
  change(`POST ${ofRecord}/takeOwnership`),
  change(`POST ${ofRecord}/proceedToStep`, () =>
    bodies({ action: 'note' }, { action: 'none' }, { action: 'approve', values: { note: 'Done' } }),
  ),
  change(`POST ${ofRecord}/task`, ({ entity, id }) =>
    bodies({ description: 'A task' }, { related_entities: [{ key: entity, entity_id: id }] }),
  ),
  change(`PUT ${ofRecord}/{taskId}`, (place) =>
    tasksOfOthers(place).map((taskId) => ({ params: { taskId }, body: { is_completed: false } })),
  ),
  change(`DELETE ${ofRecord}/{taskId}`, (place) =>
    tasksOfOthers(place).map((taskId) => ({ params: { taskId } })),
  ),
  record(`GET ${ofRecord}/comment`, () => [{}, { query: 'limit=100&page=1' }]),
  change(`POST ${ofRecord}/comment`, ({ world }) =>
    bodies(
      { text: 'A comment' },
      { text: 'Ours', is_internal: true },
      { text: 'A reply', parent_id: world.comments[0]?.id },
      { text: '@[1] @[2] @[3]' },
    ),
  ),
  change(`PATCH ${ofRecord}/comment/{commentId}`, (place) =>
    someComments(place).map((commentId) => ({
      params: { commentId },
      body: { is_resolved: true },
    })),
  ),
  change(`DELETE ${ofRecord}/comment/{commentId}`, (place) =>
    someComments(place).map((commentId) => ({ params: { commentId } })),
  ),
  record(`GET ${ofRecord}/follow`),
  change(`PUT ${ofRecord}/follow`),
  change(`DELETE ${ofRecord}/follow`),
  record('GET /api/people', ({ entity, id }) => [
    { query: `reads=${entity}/${id}` },
    { query: `reads=${entity}/${id}&internal=true&q=zq` },
  ]),
  change(`DELETE ${ofRecord}`, () => withTags('If-Match')),
  change(`POST ${ofRecord}/restore`),
  change(`POST ${ofRecord}/anonymise`, () => [{}, { query: 'dryRun=true' }]),
  {
    door: 'GET /api/search',
    of: 'entity',
    asks: ({ id, marker }) => [
      { query: `q=${marker}` },
      { query: `q=${marker.slice(0, 8)}` },
      { query: `q=${id}` },
      { query: 'q=zq' },
    ],
  },
  // What it says of links and matches is asked in test/service/import/.
  { door: 'POST /{entityKey}/import', of: 'apart' },
  { door: 'POST /{entityKey}/import/look', of: 'apart' },
  { door: 'GET /api/tasks/calendar.ics', of: 'apart' },
  { door: 'GET /api/notifications/stream', of: 'apart' },
  { door: 'GET /api/entities/{entityKey}', of: 'entity' },
  {
    door: 'POST /api/notifications/explain',
    of: 'entity',
    asks: (place) => [about(place.entity, { entityId: place.id })],
  },
  record('POST /api/notifications/recipients', (place) => [
    about(place.entity, { entityIds: [place.id] }),
  ]),
  {
    door: 'POST /api/access/explain',
    of: 'entity',
    asks: ({ world, sight, entity, id }) =>
      bodies({ entityKey: entity, entityId: id, userId: world.idOf(sight.user.name) }),
  },
  // More than a valid request, which all others of the service are asked with.
  service('GET /api/audit', {}, { query: 'entity=user&limit=200' }),
  service('POST /api/audit/export', {}, { query: 'format=ndjson' }),
  service('GET /api/approvals', {}, { query: 'limit=100' }),
  service(
    'GET /api/tasks',
    ...[1, 2, 3, 4, 5].map((id) => ({ query: `assignee=${id}&limit=100` })),
    { query: 'limit=100&status=upcoming' },
  ),
  service('GET /api/tasks/count', {}, ...[2, 3, 4, 5].map((id) => ({ query: `assignee=${id}` }))),
  service('GET /api/people', {}, { query: 'q=zq' }, { query: 'q=u' }),
  service('GET /api/notifications', { query: 'limit=1000' }, { query: 'sortField=content' }),
  service('GET /api/deliveries', {}, { query: 'q=zq' }),
  ...['', '/message', '/message.html'].map((end) =>
    service(`GET /api/mail/{name}${end}`, { params: { name: `${mailOf('u0')}.eml` } }),
  ),
  service('GET /api/people/{id}/data', { params: { id: 1 } }, { params: { id: 2 } }),
]

export const pathRows: readonly PathRow[] = [
  ...ownRows,
  ...serviceRows
    .filter(({ door }) => !ownRows.some((row) => row.door === door))
    .map(({ door, sample }) => service(door, sample?.({ id: 1, other: 1 }) ?? {})),
]

/** The paths of the document that have no row. */
export const pathsWithoutRow = async ({ service: asked }: World): Promise<readonly string[]> => {
  const entities = [...asked.project.catalog.entities.keys()]
  const { paths } = (await asked.ask('GET', '/api/openapi.json')).json(200)
  const doors = Object.entries<object>(paths).flatMap(([path, operations]) => {
    const [, first = '', ...rest] = path.split('/')
    const known = entities.includes(first) ? ['', '{entityKey}', ...rest].join('/') : path
    return Object.keys(operations)
      .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
      .map((method) => `${method.toUpperCase()} ${known}`)
  })
  return [...new Set(doors)].filter((door) => !pathRows.some((row) => row.door === door))
}

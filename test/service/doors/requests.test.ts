/** Requests that no endpoint accepts: unknown and repeated parameters, values outside of their declaration, bodies of another shape, and other methods. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationParameter } from '../../../src/http/openapi/operation.ts'
import type { Reply } from '../../support/service.ts'
import { startDoors } from './a-door-project.ts'
import { type Asked, assertEach, type Door, doorsOf, requestOf, send } from './doors.ts'

const doors = await startDoors()
const all = await doorsOf(doors)
const id = await doors.newClaim()

/** Sends the valid request of a row with a change. */
const changed = async (door: Door, change: (request: Asked) => Partial<Asked>): Promise<Reply> => {
  const request = await requestOf(doors, door, id)
  return send(doors, door, { ...request, ...change(request) }, 'admin')
}

/** The status and the places of the issues. */
const issuesOf = ({ status, text }: Reply): string => {
  const { errors = [] }: { errors?: readonly { path: string }[] } = text ? JSON.parse(text) : {}
  return [status, ...errors.map(({ path }) => path)].join(' ')
}

const withQuery = (door: Door, ...more: readonly string[]) =>
  changed(door, ({ query }) => ({ query: [query, ...more].filter(Boolean).join('&') }))

const queryOf = ({ operation }: Door): readonly OperationParameter[] =>
  operation?.parameters.filter((one) => one.in === 'query') ?? []

test('an unknown query parameter is a 400 that names it', async () => {
  await assertEach(all, '400 colour', async (door) => issuesOf(await withQuery(door, 'colour=red')))
})

test('a parameter that is given twice is a 400 that names it', async () => {
  const single = (door: Door) => queryOf(door).filter(({ style }) => style === undefined)
  await assertEach(
    all.filter((door) => single(door).length > 0),
    (door) => single(door).map(({ name }) => `400 ${name}`),
    async (door) => {
      const found = []
      for (const { name } of single(door))
        found.push(issuesOf(await changed(door, () => ({ query: `${name}=1&${name}=1` }))))
      return found
    },
  )
})

/** Texts that the schema of a parameter does not allow. */
const unfit = ({ schema }: OperationParameter): readonly string[] => {
  const { type, minimum, maximum, maxLength } = schema
  const outside = [
    ...(typeof minimum === 'number' ? [String(minimum - 1)] : []),
    ...(typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER
      ? [String(maximum + 1)]
      : []),
  ]
  if (type === 'integer') return [...outside, 'x', '1.5', '1e1', '-1']
  if (type === 'boolean') return ['x', '1', 'TRUE']
  if (schema.enum) return ['x']
  if (typeof maxLength === 'number') return ['y'.repeat(maxLength + 1), '%00']
  return []
}

test('a value that the declaration of a parameter does not allow is a 400 that names it', async () => {
  const limited = (door: Door) => queryOf(door).filter((one) => unfit(one).length > 0)
  await assertEach(
    all.filter((door) => limited(door).length > 0),
    [],
    async (door) => {
      const wrong = []
      for (const parameter of limited(door))
        for (const text of unfit(parameter)) {
          const reply = await changed(door, () => ({ query: `${parameter.name}=${text}` }))
          const found = issuesOf(reply)
          if (!found.startsWith(`400 ${parameter.name}`))
            wrong.push(`${parameter.name}=${text}: ${found}`)
        }
      return wrong
    },
  )
})

/** Endpoints of which a body may have any property, is not looked at, or is a file. */
const takesAnything = [
  'PATCH /console/-/settings.json',
  'POST /api/notifications/unsubscribe',
  'POST /{entityKey}/import',
  'POST /{entityKey}/import/look',
  'POST /api/uploads',
]
const withBodies = () =>
  all.filter(({ method, door }) => method !== 'GET' && !takesAnything.includes(door))

test('an unknown property of a body is a 400 that names it', async () => {
  await assertEach(withBodies(), true, async (door) => {
    const reply = await changed(door, ({ body }) => ({ body: { ...Object(body), colour: 'red' } }))
    return issuesOf(reply).startsWith('400 ') && issuesOf(reply).split(' ').includes('colour')
  })
})

test('a body that is no object is a 400', async () => {
  await assertEach(withBodies(), [], async (door) => {
    const wrong = []
    for (const body of ['[]', '5', '{', '{"a":1,"a":1e999}']) {
      const { status } = await changed(door, () => ({ body }))
      if (status !== 400) wrong.push(`${body}: ${status}`)
    }
    return wrong
  })
})

test('a request without the body that is required is a 400', async () => {
  await assertEach(
    withBodies().filter(({ operation }) => operation?.body?.isRequired),
    400,
    async (door) => (await changed(door, () => ({ body: undefined }))).status,
  )
})

test('a body of another media type is a 415', async () => {
  await assertEach(withBodies(), 415, async (door) => {
    const headers = { 'Content-Type': 'text/plain' }
    return (await changed(door, () => ({ headers, body: 'a=1' }))).status
  })
})

test('a method that no endpoint of the path declares is a 405 with those that do', async () => {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const declared = Map.groupBy(all, ({ path }) => path)
  const hasNoHead = ['/api/notifications/stream']
  await assertEach(
    [...declared.values()].flatMap(([first]) => (first ? [first] : [])),
    [],
    async (door) => {
      const own = new Set(declared.get(door.path)?.map(({ method }) => method))
      const allowed = [
        ...own,
        ...(own.has('GET') && !hasNoHead.includes(door.path) ? ['HEAD'] : []),
      ]
      const wrong = []
      for (const method of methods.filter((one) => !own.has(one))) {
        const reply = await changed(door, () => ({ method, body: undefined }))
        const allow = reply.headers.get('allow')?.split(', ').sort()
        if (reply.status !== 405 || String(allow) !== String(allowed.sort()))
          wrong.push(`${method}: ${reply.status} ${allow}`)
      }
      return wrong
    },
  )
  assert.ok(declared.size > 50)
})

/**
 * What a role hides, and records that it may not read, for every endpoint: no answer has a text of them, in no format,
 * and a request cannot tell a hidden name from one that does not exist.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { inspect } from 'node:util'
import { exportFormatNames } from '../../../src/export/export-formats.ts'
import { operators } from '../../../src/query/criteria/operators.ts'
import { readPdf } from '../../support/documents/read-pdf.ts'
import { readParquet } from '../../support/read-parquet.ts'
import { readArchive } from '../../support/read-xlsx.ts'
import { receive } from '../../support/send.ts'
import { emailOf, hiddenFields, markers, startDoors } from './a-door-project.ts'
import {
  type Asked,
  assertEach,
  type Door,
  doorsOf,
  enter,
  plain,
  requestOf,
  send,
} from './doors.ts'

const doors = await startDoors()
const all = await doorsOf(doors)
before(async () => {
  await doors.newTask(doors.markedClaim, 'hiding')
  // Notifies its keeper and the new owner.
  const taken = await doors.ask('POST', `/claim/${doors.markedClaim}/takeOwnership`, {
    as: emailOf('hiding'),
  })
  assert.equal(taken.status, 200, taken.text)
  await doors.notified()
})

/** The markers that a text has, with the names of their fields. */
const markersIn = (text: string): string[] =>
  Object.entries(markers)
    .filter(([, marker]) => text.includes(marker))
    .map(([name]) => name)

/** A document or an export, whose texts may be packed. */
const bytesOf = async (method: string, path: string, as: string): Promise<Buffer> => {
  const headers = { Authorization: `Bearer ${await doors.tokenOf(emailOf(as))}` }
  const { status, bytes } = await receive(method, `${doors.url}${path}`, { headers })
  assert.equal(status, 200)
  return bytes
}

const marked = (values: object = {}) =>
  doors.newClaim(
    {
      heading: markers.heading,
      secret: markers.secret,
      margin: markers.margin,
      vault_id: doors.vault,
      ...values,
    },
    'admin',
  )

/** A value that an operator takes. */
const operandOf = (operator: string): unknown => {
  if (operator === '$in' || operator === '$nin') return ['1']
  return operator === '$null' ? true : '1'
}

/** Whether the answer of an administrator has what others must not get: else a row proves nothing. */
test('administrators get hidden values from every endpoint whose row says so', async () => {
  const showing = all.filter(
    ({ shows, door }) => shows === 'values' && !door.includes('/documents/'),
  )
  await assertEach(showing, true, async (door) => {
    const id = await marked()
    return markersIn((await enter(doors, door, 'admin', id)).text).length > 0
  })
})

describe('a role that hides fields', () => {
  test('gets none of their values from any endpoint', async () => {
    await assertEach(all, [], async (door) => {
      const reply = await enter(doors, door, 'hiding', await marked())
      return markersIn(reply.text + JSON.stringify([...reply.headers]))
    })
  })

  /** The requests of a row that name a field in every place that takes one, by its parameters and its body. */
  const namingRequests = (
    { operation, method, path, door }: Door,
    request: Asked,
    name: string,
  ): Asked[] => {
    const byParameter: Readonly<Record<string, readonly string[]>> = {
      sort: [name, `-${name}`, `follows.${name}`],
      include: [name, `follows.${name}`],
      field: [name],
    }
    const queries = (operation?.parameters ?? []).flatMap((parameter) =>
      (byParameter[parameter.name] ?? []).map((text) => `${parameter.name}=${text}`),
    )
    const withBody = (body: object) => ({ ...request, body })
    const ofBoth = [
      { $where: { [name]: null } },
      { $orderBy: [name] },
      { $select: [name] },
      { $select: [`follows.${name}`] },
    ]
    const ofSearches = [
      ...Object.keys(operators).map((operator) => ({
        $where: { [name]: { [operator]: operandOf(operator) } },
      })),
      { $where: { $or: [{ $not: { [name]: '1' } }] } },
      { $where: { [`follows.${name}`]: '1' } },
      { $where: { notes: { $eq: { $field: name } } } },
      { $orderBy: [`-follows.${name}`] },
      ...['sum', 'avg', 'min', 'max'].map((total) => ({ $aggregate: { [total]: [name] } })),
      { $group: [name] },
    ]
    return [
      ...queries.map((query) => ({ ...request, query })),
      ...(method === 'POST' && /\/(search|export)$/.test(path) ? ofBoth : []).map(withBody),
      ...(path.endsWith('/search') && method === 'POST' ? ofSearches : []).map(withBody),
      ...(path.endsWith('/bulk')
        ? [
            { criteria: { $where: { [name]: '1' } }, do: { remove: true } },
            { ids: [doors.markedClaim], do: { change: { [name]: '1' } } },
          ].map(withBody)
        : []),
      ...(['POST /{entityKey}', 'PATCH /{entityKey}/{entityId}'].includes(door)
        ? ['1', null].map((value) => withBody({ [name]: value }))
        : []),
      ...(door === 'PATCH /{entityKey}/{entityId}'
        ? [{ [name]: { create: [] } }, { parts: { create: [{ [name]: '1' }] } }].map(withBody)
        : []),
      ...(path.endsWith('/proceedToStep')
        ? [withBody({ action: 'settle', values: { [name]: '1' } })]
        : []),
    ]
  }

  for (const field of hiddenFields.claim)
    test(`cannot tell "${field}" from a name that does not exist, wherever a request names a field`, async () => {
      // As long as the name, and as far from every other one.
      const unknown = 'qjzxwvkyhg'.slice(0, field.length)
      await assertEach(all, [], async (door) => {
        const request = await requestOf(doors, door, doors.markedClaim)
        const wrong: string[] = []
        for (const [index, one] of namingRequests(door, request, field).entries()) {
          const other = namingRequests(door, request, unknown)[index]
          assert.ok(other)
          const named = plain(await send(doors, door, one, 'hiding'), field)
          const absent = plain(await send(doors, door, other, 'hiding'), unknown)
          if (named !== absent || markersIn(named).length > 0) wrong.push(`${named} / ${absent}`)
        }
        return wrong
      })
    })

  test('learns no hidden name from the descriptions of entities and of the API', async () => {
    for (const path of ['/api/me', '/api/entities', '/api/entities/claim', '/api/openapi.json']) {
      const { status, text } = await doors.ask('GET', path, { as: emailOf('hiding') })
      assert.equal(status, 200)
      assert.doesNotMatch(text, /"(secret|margin|doubled|worth)"/, path)
    }
  })

  for (const format of exportFormatNames)
    test(`gets no hidden value and no hidden column in a file of the format ${format}`, async () => {
      const path = `/claim/export?format=${format}`
      const textOf = async (as: string) => {
        const bytes = await bytesOf('POST', path, as)
        if (format === 'xlsx') return [...(await readArchive(bytes)).values()].join()
        if (format !== 'parquet') return bytes.toString()
        const file = await readParquet(bytes)
        return JSON.stringify(file, (_key, value) =>
          typeof value === 'bigint' ? String(value) : value,
        )
      }
      assert.deepEqual(markersIn(await textOf('hiding')), [])
      assert.ok(!/secret|margin/.test(await textOf('hiding')))
      const shown = markersIn(await textOf('everything'))
      assert.ok(
        ['heading', 'secret'].every((name) => shown.includes(name)),
        shown.join(),
      )
    })

  test('gets a document without hidden values, which others get with them', async () => {
    const textOf = async (as: string) => {
      const bytes = await bytesOf('GET', `/claim/${doors.markedClaim}/documents/claim`, as)
      return (await readPdf(new Uint8Array(bytes))).pages.join()
    }
    assert.deepEqual(markersIn(await textOf('hiding')), [])
    assert.deepEqual(markersIn(await textOf('everything')), ['heading', 'secret'])
  })

  test('finds no record by a hidden value', async () => {
    for (const as of ['hiding', 'everything'])
      for (const text of [markers.heading, markers.secret, markers.vault]) {
        const { data } = (
          await doors.ask('GET', `/api/search?q=${text}`, { as: emailOf(as) })
        ).json()
        const isShown = as === 'everything' && text !== markers.secret
        assert.equal(data.length > 0, isShown, `${as} ${text}`)
        const body = { $search: text }
        const found = await doors.ask('POST', '/claim/search', { as: emailOf(as), body })
        assert.equal(found.json().data.length > 0, as === 'everything', `${as} ${text}`)
      }
    const { data } = (
      await doors.ask('GET', `/api/people?q=${markers.email}`, { as: emailOf('hiding') })
    ).json()
    assert.deepEqual(data, [])
  })

  test('is notified without them, and other recipients with them', async () => {
    const textFor = async (as: string) =>
      (await doors.ask('GET', '/api/notifications', { as })).text
    assert.deepEqual(markersIn(await textFor(emailOf('hiding'))), [])
    assert.ok((await textFor(emailOf('hiding'))).includes(`"entity_id":${doors.markedClaim}`))
    assert.deepEqual(markersIn(await textFor(markers.email)), [
      'heading',
      'secret',
      'margin',
      'vault',
    ])
  })
})

describe('records that the caller may not read', () => {
  const readers = ['own_reader', 'conditional_reader']
  let unseen = 0
  before(async () => {
    unseen = await marked({ heading: markers.unseen, notes: markers.unseen, code: markers.unseen })
    await doors.newTask(unseen, 'admin')
  })

  for (const name of [...readers, 'nothing'])
    test(`${name} gets nothing of them from any endpoint`, async () => {
      await assertEach(all, [], async (door) => {
        const reply = await send(doors, door, await requestOf(doors, door, unseen), name)
        return markersIn(reply.text + JSON.stringify([...reply.headers]))
      })
    })

  for (const reader of readers) {
    test(`are not listed, counted, added up, found, exported or written in bulk by ${reader}`, async () => {
      const as = emailOf(reader)
      const own = await doors.newClaim({ notes: 'Own', amount: 7 }, reader)
      const ask = (path: string, body: object) => doors.ask('POST', path, { as, body })
      const where = { $where: { id: [own, unseen] } }
      const { data, total, aggregate } = (
        await ask('/claim/search', { ...where, $count: true, $aggregate: { sum: ['amount'] } })
      ).json()
      assert.deepEqual(
        [data.map(({ id }: { id: number }) => id), total, aggregate],
        [[own], 1, { count: 1, sum: { amount: '7' } }],
      )
      const found = (await doors.ask('GET', `/api/search?q=${unseen}`, { as })).json()
      assert.ok(!found.data.some(({ id }: { id: number }) => id === unseen))
      const exported = await ask('/claim/export', { ...where, $select: ['id'] })
      assert.deepEqual(exported.text.trim().split(/\r?\n/).slice(1), [String(own)])
      const bulk = await ask('/claim/bulk', { ids: [own, unseen], do: { change: { amount: 8 } } })
      assert.deepEqual(bulk.json().counts, { done: 1, unchanged: 0, refused: 1 })
      const actions = await ask('/claim/actions', { ids: [own, unseen] })
      assert.ok(
        actions.json().data.every(({ ids }: { ids: number[] }) => String(ids) === String(own)),
        actions.text,
      )
    })

    test(`cannot be linked, or found by a link to them, by ${reader}`, async () => {
      const as = emailOf(reader)
      const link = async (id: number) =>
        plain(await doors.ask('POST', '/claim', { as, body: { follows_id: id } }), id)
      assert.equal(await link(unseen), await link(2_000_000_000))
      const own = await doors.newClaim({}, reader)
      await doors.ask('PATCH', `/claim/${own}`, { body: { follows_id: unseen } })
      const body = { $where: { 'follows.heading': { $like: '%' } }, $count: true }
      const reply = await doors.ask('POST', '/claim/search', { as, body })
      assert.deepEqual(reply.json(), { data: [], total: 0 })
      for (const query of ['include=follows', 'include=vault'])
        assert.deepEqual(
          markersIn((await doors.ask('GET', `/claim/${own}?${query}`, { as })).text),
          [],
        )
    })
  }

  test('parts of a record follow it', async () => {
    const own = await doors.newClaim({}, 'conditional_reader')
    const partOf = async (claim_id: number) => {
      const reply = await doors.ask('POST', '/part', { body: { claim_id, name: 'A part' } })
      return reply.json().id
    }
    const parts = [await partOf(own), await partOf(unseen)]
    const as = emailOf('conditional_reader')
    const body = { $where: { id: parts }, $count: true }
    const { data, total } = (await doors.ask('POST', '/part/search', { as, body })).json()
    assert.deepEqual([data.map(({ id }: { id: number }) => id), total], [[parts[0]], 1])
  })
})

test('what the service observes, which is its log, has neither values of records nor credentials', async () => {
  const token = await doors.tokenOf(emailOf('hiding'))
  const headers = { Authorization: `Bearer ${token}` }
  assert.equal((await doors.ask('GET', '/claim', { as: null, headers })).status, 200)
  const seen = inspect(doors.observations, {
    depth: null,
    maxArrayLength: null,
    maxStringLength: null,
  })
  assert.match(seen, /requestAnswered/)
  assert.deepEqual(markersIn(seen), [])
  assert.ok(!seen.includes(token.split('.').at(-1) ?? ''))
})

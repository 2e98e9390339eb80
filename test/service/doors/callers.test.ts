/**
 * Who may call an endpoint, for all of them: callers who are not accepted, roles with and without its permission, and
 * records that a permission does not cover.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signedIn } from '../../support/sessions/a-browser.ts'
import { refusedCallers, rights, startDoors } from './a-door-project.ts'
import {
  assertEach,
  type Door,
  doorsOf,
  enter,
  isOfEntity,
  isOnRecord,
  knock,
  pages,
  plain,
  requestOf,
  send,
  successOf,
} from './doors.ts'
import { declaredEndpoints } from './endpoints.ts'

const doors = await startDoors()
const all = await doorsOf(doors)
const closed = all.filter(({ who }) => who !== 'everybody')
const onRecord = all.filter(isOnRecord)
/** A claim for requests that are refused. */
const refusedId = await doors.newClaim()

const isRight = ({ who }: Door) => rights.some((right) => right === who)

const statusFor = (as: string | ((door: Door) => string), id?: number) => async (door: Door) =>
  (await enter(doors, door, as instanceof Function ? as(door) : as, id)).status

/** Of a request about the claim for requests that are refused. */
const refusalFor = (as: string | null) => async (door: Door) =>
  (await knock(doors, door, as, refusedId)).status

/** Everything that is stored about the claim of refused requests. */
const stored = async () => {
  const { rows } = await doors.database.pool.query(
    `SELECT (SELECT to_jsonb(c) FROM records.claim c WHERE id = $1) AS claim,
       (SELECT count(*) FROM docket.history WHERE entity_key = 'claim' AND entity_id = $1 AND task_id IS NULL) AS entries`,
    [refusedId],
  )
  return rows[0]
}

test('every endpoint has a row, and every page without a declaration is in the list of pages', async () => {
  const endpoints = await declaredEndpoints(doors.project.catalog)
  const undeclared = endpoints.filter((one) => !one.operation)
  assert.deepEqual(
    undeclared.map(({ door }) => door).filter((door) => !door.startsWith('GET /api/docs/')),
    pages,
  )
})

describe('callers who are not accepted', () => {
  test('without a token only what is open to everybody answers', async () => {
    const stayed = await stored()
    await assertEach(
      all,
      ({ who }) => who === 'everybody',
      async ({ operation }) => operation?.isPublic === true,
    )
    await assertEach(
      all,
      (door) => (door.who === 'everybody' ? successOf(door) : 401),
      refusalFor(null),
    )
    assert.deepEqual(await stored(), stayed)
  })

  test('a valid token is accepted only in its header', async () => {
    const token = await doors.tokenOf()
    for (const request of [
      { path: `/claim?access_token=${token}`, headers: {} },
      { path: '/claim', headers: { Cookie: `token=${token}` } },
      { path: '/claim', headers: { 'X-Authorization': `Bearer ${token}` } },
    ]) {
      const { path, headers } = request
      assert.equal((await doors.ask('GET', path, { as: null, headers })).status, 401)
    }
  })

  test('a page of another site writes nothing with the cookie of a browser, and signs nobody in', async () => {
    const { cookies } = await signedIn(doors)
    const Cookie = [...(cookies.values().next().value ?? [])].map((one) => one.join('=')).join('; ')
    const stayed = await stored()
    await assertEach(
      all.filter(
        ({ method, path, who }) =>
          method !== 'GET' && (who !== 'everybody' || path.startsWith('/console/-/')),
      ),
      [401, true],
      async (door) => {
        const asked = await requestOf(doors, door, refusedId)
        const headers = { ...asked.headers, Cookie, 'Sec-Fetch-Site': 'cross-site' }
        const { status, text } = await send(doors, door, { ...asked, headers }, null)
        return [status, text.includes('Only a page of this service')]
      },
    )
    assert.deepEqual(await stored(), stayed)
  })

  for (const name of [...refusedCallers, 'stranger'])
    test(`a user who is ${name} gets a 401 from every other endpoint, and nothing more`, async () => {
      const stayed = await stored()
      const properties = ['type', 'title', 'status', 'detail', 'code', 'hint', 'requestId']
      await assertEach(closed, [401, properties.sort()], async (door) => {
        const { status, text } = await knock(doors, door, name, refusedId)
        return [status, Object.keys(JSON.parse(text)).sort()]
      })
      assert.deepEqual(await stored(), stayed)
    })
})

describe('roles', () => {
  test('a role with nothing but the permission of an endpoint, and that to read, may call it', async () => {
    const lowest = (door: Door) => (isRight(door) ? `only_${door.who.toLowerCase()}` : 'nothing')
    const open = all.filter(
      ({ who, refused }) => who !== 'administrator' && refused?.nothing === undefined,
    )
    await assertEach(open, successOf, statusFor(lowest))
  })

  test('a role with every permission but that of an endpoint gets a 403 that names it, also where no record exists', async () => {
    const stayed = await stored()
    await assertEach<unknown[]>(
      all.filter(isRight),
      // Whether a task may be written depends on the record that it belongs to.
      ({ who }) => [403, 'caller.forbidden', true, who !== 'tasks'],
      async (door) => {
        const as = `lacking_${door.who.toLowerCase()}`
        const request = await requestOf(doors, door, refusedId)
        const path = request.path.replace(`/claim/${refusedId}`, '/claim/2000000000')
        const reply = await send(doors, door, request, as)
        const absent = await send(doors, door, { ...request, path }, as)
        const { code, detail } = reply.json()
        const isSame = plain(reply, refusedId) === plain(absent, 2_000_000_000)
        return [reply.status, code, String(detail).includes(door.who), isSame]
      },
    )
    assert.deepEqual(await stored(), stayed)
  })

  test('administrators alone may call what is for them', async () => {
    const forThem = all.filter(({ who }) => who === 'administrator')
    await assertEach(forThem, 403, refusalFor('everything'))
  })

  test('administrators may call everything', async () => {
    await assertEach(all, successOf, statusFor('admin'))
  })

  test('what depends on the request is refused as its row says, and granted otherwise', async () => {
    const refusing = all.filter(({ refused }) => refused)
    await assertEach<Record<string, number> | undefined>(
      refusing,
      ({ refused }) => refused,
      async (door) => {
        const found: Record<string, number> = {}
        for (const as of Object.keys(door.refused ?? {})) found[as] = await refusalFor(as)(door)
        return found
      },
    )
    await assertEach(refusing, successOf, statusFor('everything'))
  })

  test('to a role without any permission on an entity it is as if the entity did not exist', async () => {
    await assertEach(all.filter(isOfEntity), ['404', true, true], async (door) => {
      const request = await requestOf(doors, door, refusedId)
      const [known = '', unknown] = await Promise.all(
        ['claim', 'clams'].map(async (key) => {
          const path = request.path.replace('/claim', `/${key}`)
          return plain(await send(doors, door, { ...request, path }, 'nothing'), key)
        }),
      )
      return [known.slice(0, 3), known.includes('"entity.unknown"'), known === unknown]
    })
  })
})

describe('records that a permission does not cover', () => {
  test('a record that the caller may not read is answered like one that does not exist', async () => {
    const stayed = await stored()
    await assertEach(onRecord, ['404', true], async (door) => {
      const request = await requestOf(doors, door, refusedId)
      const [unreadable = '', absent] = await Promise.all(
        [refusedId, 2_000_000_000].map(async (one) => {
          const path = request.path.replace(`/claim/${refusedId}`, `/claim/${one}`)
          return plain(await send(doors, door, { ...request, path }, 'own_reader'), one)
        }),
      )
      return [unreadable.slice(0, 3), unreadable === absent]
    })
    assert.deepEqual(await stored(), stayed)
  })

  test('their own records are covered', async () => {
    await assertEach(onRecord, successOf, async (door) =>
      statusFor('own_reader', await doors.newClaim({}, 'own_reader'))(door),
    )
  })

  test('a write to a record that the caller may read, but not write, is a 403, and their own is written', async () => {
    const stayed = await stored()
    const limited = onRecord.filter(({ who }) =>
      ['update', 'delete', 'tasks', 'takeOwnership'].includes(who),
    )
    await assertEach(
      limited,
      (door) => [403, successOf(door)],
      async (door) => [
        await refusalFor('own_writer')(door),
        await statusFor('own_writer', await doors.newClaim({}, 'own_writer'))(door),
      ],
    )
    assert.deepEqual(await stored(), stayed)
  })
})

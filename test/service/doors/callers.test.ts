/**
 * Who may call an endpoint, for all of them: callers who are not accepted, roles with and without its permission, and
 * records that a permission does not cover.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { parseKeyScope } from '../../../src/auth/key-scopes.ts'
import { signedIn } from '../../support/sessions/a-browser.ts'
import { type Right, refusedCallers, rights, startDoors } from './a-door-project.ts'
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
       (SELECT count(*) FROM docket.history WHERE entity_key = 'claim' AND entity_id = $1 AND part_id IS NULL) AS entries`,
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

describe('API keys with a scope', () => {
  const keyOf = async (given: string, name = 'everything'): Promise<string> => {
    const read = parseKeyScope(doors.project.catalog, given)
    assert.ok('scope' in read, String('issues' in read && read.issues))
    const one = { userId: doors.idOf(name), name: 'scoped', scope: read.scope }
    return (await createApiKey(doors.database.pool, one)).key
  }
  const wordOf = (right: Right) => (right === 'action' ? 'actions' : right)
  const withWords = (words: readonly string[]) =>
    // Lines of claims are written with them.
    keyOf(`claim:${[...new Set([...words, 'read'])].join()};part:create`)

  test('a scope with everything opens what is asked by rights, and nothing else: no administration, no account, no session', async () => {
    const stayed = await stored()
    const isNarrowed = (door: Door) => isRight(door) || door.isByRights === true
    for (const name of ['admin', 'everything']) {
      const key = await keyOf('*:*;claim:*;part:*;vault:*', name)
      await assertEach(all.filter(isNarrowed), successOf, statusFor(key))
      await assertEach(
        closed.filter((door) => !isNarrowed(door)),
        [403, true],
        async (door) => {
          const { status, text } = await knock(doors, door, key, refusedId)
          return [status, text.includes('An API key with a scope may not call')]
        },
      )
    }
    assert.deepEqual(await stored(), stayed)
  })

  test('the right of an endpoint, and that to read, is all that it needs', async () => {
    for (const right of rights) {
      const key =
        right === 'create' ? await keyOf('claim:create') : await withWords([wordOf(right)])
      await assertEach(
        all.filter(({ who }) => who === right),
        successOf,
        statusFor(key),
      )
    }
  })

  test('without it the answer is a 403 that names it, also where no record exists, and also of an administrator', async () => {
    const stayed = await stored()
    for (const name of ['everything', 'admin'])
      for (const right of rights) {
        const others = rights.filter((one) => one !== right).map(wordOf)
        const words = right === 'read' ? ['create'] : others
        const key = await keyOf(`claim:${words.join()};part:*;vault:*`, name)
        await assertEach<unknown[]>(
          all.filter(({ who }) => who === right),
          [403, 'caller.forbidden', true, true],
          async (door) => {
            const request = await requestOf(doors, door, refusedId)
            const path = request.path.replace(`/claim/${refusedId}`, '/claim/2000000000')
            const reply = await send(doors, door, request, key)
            const absent = await send(doors, door, { ...request, path }, key)
            const { code, detail } = reply.json()
            const isSame = plain(reply, refusedId) === plain(absent, 2_000_000_000)
            return [reply.status, code, String(detail).includes(right), isSame]
          },
        )
      }
    assert.deepEqual(await stored(), stayed)
  })

  test('an entity that it does not name is not there', async () => {
    const key = await keyOf('part:*', 'admin')
    await assertEach(all.filter(isOfEntity), ['404', true, true], async (door) => {
      const request = await requestOf(doors, door, refusedId)
      const [known = '', unknown] = await Promise.all(
        ['claim', 'clams'].map(async (one) => {
          const path = request.path.replace('/claim', `/${one}`)
          return plain(await send(doors, door, { ...request, path }, key), one)
        }),
      )
      return [known.slice(0, 3), known.includes('"entity.unknown"'), known === unknown]
    })
  })

  test('a condition of the role is one of its user, whatever the scope', async () => {
    const claim = await doors.newClaim({}, 'conditional_reader')
    const body = { claim_id: claim, name: 'Of a claim that the key does not read' }
    const { id } = (await doors.ask('POST', '/part', { body })).json(201)
    const key = await keyOf('part:read', 'conditional_reader')
    const parts = await doors.ask('GET', '/part', {
      as: null,
      headers: { Authorization: `Bearer ${key}` },
    })
    assert.deepEqual(
      parts.json(200).data.map((one: { id: number }) => one.id),
      [id],
    )
  })

  test('the assignee of a task needs the right to tasks too, and the answers name what the key has', async () => {
    const id = await doors.newClaim()
    const taskId = await doors.newTask(id)
    const give = { assigne_id: doors.idOf('only_read') }
    await doors.ask('PUT', `/claim/${id}/${taskId}`, { body: give })
    const key = await keyOf('claim:read', 'only_read')
    const ask = (method: string, path: string, body?: object) =>
      doors.ask(method, path, { as: null, headers: { Authorization: `Bearer ${key}` }, body })
    const complete = { is_completed: true }
    assert.equal((await ask('PUT', `/claim/${id}/${taskId}`, complete)).status, 403)
    assert.equal((await ask('GET', `/claim/${id}/task`)).status, 403)
    const { key_scope, role, permissions } = (await ask('GET', '/api/me')).json(200)
    assert.deepEqual(
      [key_scope, role, Object.keys(permissions)],
      ['claim:read', 'only_read', ['claim']],
    )
    assert.equal(permissions.claim.read, true)
    const as = 'only_read@example.com'
    assert.equal(
      (await doors.ask('PUT', `/claim/${id}/${taskId}`, { as, body: complete })).status,
      204,
    )
  })

  test('it signs no browser in', async () => {
    const key = await keyOf('*:*', 'admin')
    const signIn = {
      as: null,
      body: { api_key: key },
      headers: { Origin: doors.url, 'Sec-Fetch-Site': 'same-origin' },
    }
    const reply = await doors.ask('POST', '/console/-/session', signIn)
    assert.deepEqual([reply.status, reply.headers.get('Set-Cookie')], [403, null])
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
      ['update', 'delete', 'tasks', 'comments', 'takeOwnership'].includes(who),
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

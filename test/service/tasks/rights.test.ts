/** Permissions on tasks, and what those see who have few: as one table, of unknown entities, and of the user who changed a task. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { compileWithin } from '../../support/api-document.ts'
import {
  ask,
  createRecord,
  createTask,
  ids,
  idsOf,
  type Person,
  rowsOf,
  service,
  shareTasks,
  users,
} from './a-task-project.ts'

shareTasks()

describe('the permission', () => {
  const operations = {
    list: ['GET', undefined],
    create: ['POST', { description: 'new' }],
    change: ['PUT', { description: 'x', is_completed: true }],
    assign: ['PUT', { assigne_id: 1 }],
    link: ['PUT', { is_completed: true, related_entities: [] }],
    complete: ['PUT', { is_completed: true }],
    reopen: ['PUT', { is_completed: false }],
    remove: ['DELETE', undefined],
  } as const
  type Operation = keyof typeof operations
  type Statuses = Readonly<Record<Operation, number>>

  const statuses = (list: number, create: number, change: number, complete: number): Statuses => ({
    list,
    create,
    change,
    assign: change,
    link: change,
    complete,
    reopen: complete,
    remove: change,
  })
  const all = statuses(200, 201, 204, 204)
  const none = statuses(403, 403, 403, 403)
  // A record that the caller may not read, and its tasks, are reported as not found.
  const absent = statuses(404, 404, 404, 404)
  // Assignees may always read and complete their own tasks, and nothing else.
  const assigned = statuses(200, 403, 403, 204)
  const assignedUnread = statuses(200, 404, 403, 204)

  // Records that the caller owns or not; tasks that are assigned to the caller or to nobody.
  const table: readonly [who: Person, situation: string, expected: Statuses][] = [
    ['worker', "another's", all],
    ['owner', 'own', all],
    ['owner', "another's", none],
    ['owner', "another's, assignee", assigned],
    ['reader', 'own, assignee', assigned],
    ['reader', 'own', none],
    // Permission to read the entity "task" does not give access to the tasks of a record.
    ['clerk', "another's", none],
    // Permission on tasks has no effect on records that the role may not read.
    ['nonreader', 'own', absent],
    ['nonreader', "another's, assignee", assignedUnread],
    ['nobody', "another's, assignee", assignedUnread],
  ]

  const rowOf = async (taskId: number) =>
    (await rowsOf('SELECT * FROM records.task WHERE id = $1', [taskId]))[0]

  for (const [who, situation, expected] of table)
    test(`of ${who}, record ${situation}: ${Object.values(expected).join(' ')}`, async () => {
      const record = await createRecord()
      const owner = situation.startsWith('own') ? ids[who] : ids.busy
      await rowsOf('UPDATE records.matter SET _owned_by = $2, _created_by = $2 WHERE id = $1', [
        ...[record, owner],
      ])
      await createTask(record, { description: "another user's" })
      const assigne_id = situation.endsWith('assignee') ? ids[who] : null
      let kept: number | undefined
      for (const [operation, [method, body]] of Object.entries(operations)) {
        if (operation === 'reopen') kept = undefined
        const is_completed = operation === 'reopen'
        const taskId = kept ?? (await createTask(record, { assigne_id, is_completed }))
        const before = await rowOf(taskId)
        const path = `/matter/${record}/${['GET', 'POST'].includes(method) ? 'task' : taskId}`
        const reply = await ask(method, path, { as: users[who], body })
        const status = expected[operation as Operation]
        assert.equal(reply.status, status, `${operation}: ${reply.text}`)
        // What was refused has changed nothing.
        kept = status >= 400 ? taskId : undefined
        if (status >= 400) assert.deepEqual(await rowOf(taskId), before, operation)
        if (operation !== 'list' || status >= 400) continue
        const shown = idsOf(reply.json())
        assert.equal(shown.length, expected === all ? 2 : 1)
        assert.ok(shown.includes(taskId))
      }
    })

  test('is needed with the scope of an API key by assignees, too', async () => {
    const record = await createRecord()
    const path = `/matter/${record}/${await createTask(record, { assigne_id: ids.owner })}`
    const one = { userId: ids.owner, name: 'one', scope: 'matter:read,tasks' }
    const { key } = await createApiKey(service.database.pool, one)
    const scoped = { as: null, headers: { Authorization: `Bearer ${key}` } }
    for (const [options, list, complete] of [
      [{ as: users.owner }, 200, 204],
      [scoped, 403, 403],
    ] as const) {
      const { status } = await ask('PUT', path, { ...options, body: { is_completed: true } })
      assert.equal(status, complete)
      assert.equal((await ask('GET', `/matter/${record}/task`, options)).status, list)
    }
  })

  test('does not change a task under a record that it is not linked to', async () => {
    const [record, other] = [await createRecord(), await createRecord()]
    const taskId = await createTask(record, { assigne_id: ids.reader })
    for (const [as, status] of [
      [users.reader, 403],
      [users.worker, 404],
    ] as const) {
      const body = { is_completed: true }
      assert.equal((await ask('PUT', `/matter/${other}/${taskId}`, { body, as })).status, status)
    }
  })

  test('is lacking to an assignee who sends more than that it is done, also what is not valid', async () => {
    const record = await createRecord()
    const path = `/matter/${record}/${await createTask(record, { assigne_id: ids.reader })}`
    const body = { is_completed: true, description: 5 }
    assert.equal((await ask('PUT', path, { as: users.reader, body })).status, 403)
  })

  test('on "task" is needed to read, search and export /task', async () => {
    const record = await createRecord()
    await createTask(record, { description: 'seen', payload: 'hidden' })
    const as = users.clerk
    const list = await ask('GET', '/task?limit=1000&sort=-id', { as })
    const seen = list.json().data.find((task: { entity_id: number }) => task.entity_id === record)
    assert.deepEqual([seen.description, 'payload' in seen], ['seen', false])
    const body = { $where: { entity_id: record }, $select: ['description'] }
    const found = await ask('POST', '/task/search', { as, body })
    assert.deepEqual(found.json().data, [{ description: 'seen' }])
    const csv = await ask('POST', '/task/export', { as, body })
    assert.deepEqual([csv.status, csv.text], [200, 'description\r\nseen\r\n'])
    for (const [method, path, more] of [
      ['GET', '/task', {}],
      ['POST', '/task/search', { body: {} }],
      ['POST', '/task/export', { body: {} }],
    ] as const)
      assert.equal((await ask(method, path, { as: users.worker, ...more })).status, 403)
  })

  test('writes tasks only under their record', async () => {
    const taskId = await createTask(await createRecord())
    for (const [method, path] of [
      ['POST', '/task'],
      ['PATCH', `/task/${taskId}`],
      ['DELETE', `/task/${taskId}`],
    ] as const) {
      assert.match(
        (await ask(method, path, method === 'DELETE' ? {} : { body: { type: 'x' } })).json(405)
          .detail,
        /under their record/,
      )
    }
  })
})

describe('an entity without permissions', () => {
  /** A record with a task of another user, and one with a task of `nobody`. */
  const records: { id: number; task: number }[] = []
  before(async () => {
    for (const assigne_id of [1, ids.nobody]) {
      const id = await createRecord('secret')
      const body = { description: 'Look', assigne_id }
      records.push({ id, task: (await ask('POST', `/secret/${id}/task`, { body })).json().id })
    }
  })

  type Request = readonly [
    method: string,
    path: string,
    options?: { readonly body?: unknown; readonly headers?: Record<string, string> },
  ]

  /** Each is wrong in another way, or in none. */
  const requestsOf = (entity: string, { id, task }: { id: number; task: number }): Request[] => {
    const tasks = `/${entity}/${id}/task`
    const one = `/${entity}/${id}/${task}`
    return [
      ...['99999999999', 'x', '%00'].map((text): Request => ['GET', `/${entity}/${text}/task`]),
      ['HEAD', tasks],
      ['GET', `${tasks}?x=1`],
      ['POST', tasks, { body: { related_entities: [{ key: entity, entity_id: id }] } }],
      ['POST', `${tasks}?x=1`, { body: [], headers: { 'Idempotency-Key': 'a b' } }],
      ['PUT', one, { body: { nothing: 1, id: 7 } }],
      ['PUT', one, { body: { is_completed: true }, headers: { 'If-Match': '"9"' } }],
      ['PUT', `/${entity}/${id}/99999999999`, { body: {} }],
      ['DELETE', one, { headers: { 'If-Match': 'no tag' } }],
      ...['', '/count'].flatMap((path) =>
        ['', '&x=1', '&assignee=1', '&assignee=x', '&timeZone=x'].map(
          (query): Request => ['GET', `/api/tasks${path}?entity=${entity}${query}`],
        ),
      ),
    ]
  }

  /** The response without the entity key and the request id. */
  const responseOf = async (entity: string, [method, path, options]: Request, as: string) => {
    const reply = await ask(method, path, { ...options, as })
    const { requestId: _, ...rest } = method === 'HEAD' ? { requestId: '' } : reply.json()
    const names = [...reply.headers.keys()].filter((name) => !/^(date|x-request-id)$/.test(name))
    return JSON.stringify([reply.status, rest, names]).replaceAll(entity, '…')
  }

  // As long as the other key, so that the content lengths are equal.
  const absent = 'sesame'
  const unread = { id: 0, task: 0 }

  test('is answered like one that does not exist, whatever is asked of its tasks', async () => {
    const [of = unread] = records
    const others = requestsOf(absent, of)
    for (const [index, request] of requestsOf('secret', of).entries()) {
      const [other = request, as] = [others[index], users.worker]
      const answer = await responseOf('secret', request, as)
      assert.equal(answer, await responseOf(absent, other, as), JSON.stringify(request))
      if (request[1].startsWith('/secret')) assert.match(answer, /^\[404,/)
    }
  })

  test('is known to an assignee at the record of their task, and at no other', async () => {
    const as = users.nobody
    const [other = unread, { id } = unread] = records
    assert.equal((await ask('GET', `/secret/${id}/task`, { as })).json().length, 1)
    for (const path of ['/api/tasks?entity=secret', '/api/tasks/count?entity=secret'])
      assert.equal((await ask('GET', path, { as })).status, 200)
    assert.equal((await ask('GET', `/secret/${id}/task?x=1`, { as })).status, 400)
    const [answer, expected] = await Promise.all(
      ['secret', absent].map((key) => responseOf(key, ['GET', `/${key}/${other.id}/task?x=1`], as)),
    )
    assert.equal(answer, expected)
  })
})

test('an assignee has a name wherever the task is read, except for a role that hides names', async () => {
  const record = await createRecord()
  await createTask(record, { assigne_id: ids.reader })
  await createTask(record)
  const seenBy = async (as: string, path = `/matter/${record}/task`) => {
    const body = (await ask('GET', path, { as })).json(200)
    return (body.data ?? body).map((task: { assigne: unknown }) => task.assigne)
  }
  const [{ full_name }] = await rowsOf('SELECT full_name FROM records.user WHERE id = $1', [
    ids.reader,
  ])
  assert.deepEqual(await seenBy(users.worker), [{ id: ids.reader, full_name }, null])
  assert.deepEqual(await seenBy(users.hides_name), [{ id: ids.reader, full_name: null }, null])
  const own = await seenBy(users.reader, `/api/tasks?entity=matter&limit=100`)
  assert.ok(own.length > 0)
  for (const one of own) assert.deepEqual(one, { id: ids.reader, full_name })
})

describe('who changed a task', () => {
  /** What stands for a value that the role hides: it has the type of the value. */
  const hidden: Readonly<Record<string, unknown>> = {
    id: 0,
    _is_deleted: false,
    _created_by: null,
    _updated_by: null,
    _created_at: '1970-01-01T00:00:00.000Z',
    _updated_at: '1970-01-01T00:00:00.000Z',
    identity_provider_user_id: '',
    first_name: '',
    last_name: '',
    full_name: '',
    username: '',
    email: '',
    phone: null,
    job_title: null,
    is_contact: false,
    security_role_id: 0,
    is_active: true,
    is_blocked: false,
    blocked_at: null,
  }

  let record: number
  before(async () => {
    record = await createRecord()
    await createTask(record, { description: 'x' })
  })
  const seenBy = async (name: Person, index = 0) =>
    (await ask('GET', `/matter/${record}/task`, { as: users[name] })).json()[index].updated_by

  test('is shown as far as the role may read users, always with the same keys and types', async () => {
    const email = 'admin@example.com'
    const all = await seenBy('all')
    assert.partialDeepStrictEqual(all, { phone: '12345', email, username: email })
    const some = await seenBy('hides')
    assert.deepEqual(some, { ...all, email: '', phone: null, security_role_id: 0 })
    const named = { ...hidden, id: 1, full_name: 'Administrator' }
    assert.deepEqual([await seenBy('own'), await seenBy('worker')], [named, named])
    assert.deepEqual(await seenBy('hides_name'), { ...hidden, id: 1 })
    assert.deepEqual(Object.keys(all).toSorted(), Object.keys(hidden).toSorted())
    for (const [name, value] of Object.entries(hidden))
      if (value !== null) assert.equal(typeof all[name], typeof value, name)
  })

  test('is shown to themselves with all fields that are not hidden', async () => {
    await ask('POST', `/matter/${record}/task`, { as: users.worker, body: {} })
    assert.equal((await seenBy('worker', 1)).email, users.worker)
  })

  test('has a name in the history by the same rule', async () => {
    for (const [as, name] of [
      [users.worker, 'Administrator'],
      [users.hides_name, null],
    ] as const) {
      const reply = await ask('GET', `/matter/${record}/history`, { as })
      assert.equal(reply.json().data.at(-1).user.full_name, name)
    }
  })

  test('has a name there as an assignee, also of before, for those who see the field', async () => {
    const own = await createRecord()
    const task = await createTask(own, { assigne_id: ids.reader })
    const body = { assigne_id: ids.owner }
    await ask('PUT', `/matter/${own}/${task}`, { body })
    const named = (isNamed: boolean) =>
      (['reader', 'owner'] as const).map((name) => ({
        id: ids[name],
        full_name: isNamed ? `${name} Example` : null,
      }))
    for (const [as, expected] of [
      [users.worker, named(true)],
      [users.hides_name, named(false)],
      [users.unassigned, []],
    ] as const) {
      const [entry] = (await ask('GET', `/matter/${own}/history`, { as })).json(200).data
      assert.deepEqual([entry.operation, entry.users], ['assignTask', expected], as)
    }
    const [change] = (await ask('GET', '/api/changes')).json(200).data
    assert.deepEqual(change.users, named(true))
  })

  test('is described by OpenAPI with these types, without the fields that the project adds', async () => {
    const { components } = (await ask('GET', '/api/openapi.json')).json()
    const { required, properties } = components.schemas.UserRecord
    const validator = compileWithin({ components }, components.schemas.UserRecord)
    assert.deepEqual(validator.Errors(hidden)[1], [])
    const keys = Object.keys(hidden).toSorted()
    assert.deepEqual([required.toSorted(), Object.keys(properties).toSorted()], [keys, keys])
    const types: Readonly<Record<string, string>> = { number: 'integer' }
    for (const [name, value] of Object.entries(hidden))
      if (value === null) assert.ok(properties[name].type.includes('null'), name)
      else assert.equal(properties[name].type, types[typeof value] ?? typeof value, name)
  })

  test('reads all fields of themselves at /api/me, except those that the role hides', async () => {
    await ask('PATCH', `/user/${ids.hides}`, { body: { pin: '0815' } })
    const me = (await ask('GET', '/api/me', { as: users.hides })).json()
    assert.deepEqual(
      [me.full_name, me.pin, 'email' in me, 'phone' in me],
      ['hides Example', '0815', false, false],
    )
    assert.doesNotMatch(JSON.stringify(me.permissions), /phone/)
    const other = (await ask('GET', '/api/me', { as: users.worker })).json()
    assert.equal(other.email, users.worker)
  })
})

/** A user leaves: they are deactivated, all that signs them in ends, and their work is handed over in one step. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { transaction } from '../../../src/database/transaction.ts'
import { lockAdministrators } from '../../../src/users/user-store.ts'
import { insertPerson } from '../../support/a-person.ts'
import { createAs } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { entityFile, roleFile } from '../../support/definitions/files.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { openBrowser } from '../../support/sessions/a-browser.ts'

const link = (key: string, entity = 'user') => ({ key, type: 'manyToOne', entity })

/** Repairs are the work of a mechanic, of who approves them, and of whoever looks after the customer. */
const files = {
  'docket.json': { name: 'Workshop' },
  ...entityFile('customer', [{ key: 'name', type: 'string' }, link('contact'), link('guide')]),
  ...entityFile(
    'repair',
    {
      ownership: true,
      hooks: [
        { type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' },
      ],
      notifications: [
        { operation: 'takeOwnership', recipient: { userFields: ['_owned_by', 'told'] } },
      ],
      validations: [
        {
          key: 'other_hands',
          condition: { $or: [{ requester: null }, { approver: { $ne: { $field: 'requester' } } }] },
          message: 'Nobody approves what they have requested.',
        },
      ],
      workflow: {
        initialStep: 'open',
        forms: [{ key: 'approval', fields: [], callerFields: ['approved_by'] }],
        steps: [
          {
            key: 'open',
            locks: { fields: 'all' },
            actions: [
              {
                key: 'approve',
                kind: 'approveWorkflow',
                to: 'done',
                form: 'approval',
                condition: {
                  $or: [
                    { approver: { $caller: 'id' } },
                    { 'customer.contact': { $caller: 'id' } },
                    { approved_by: { $caller: 'id' } },
                  ],
                },
              },
            ],
          },
          { key: 'done', final: true },
        ],
      },
    },
    [
      { key: 'title', type: 'string' },
      link('customer', 'customer'),
      link('mechanic'),
      link('approver'),
      link('approved_by'),
      link('requester'),
      link('told'),
      link('seller'),
    ],
  ),
  'entities/user.json': {
    key: 'user',
    extends: 'native',
    fields: [link('manager')],
    indexes: [{ fields: ['manager'] }],
  },
  ...roleFile('manager', {
    user: { read: true, conditions: { read: { manager: { $caller: 'id' } } } },
  }),
  ...entityFile('shift', { indexes: [{ fields: ['mechanic', 'day'], unique: true }] }, [
    link('mechanic'),
    { key: 'day', type: 'date' },
  ]),
  ...roleFile('mechanic', {
    customer: { read: true },
    shift: { read: true, conditions: { read: { mechanic: { $caller: 'id' } } } },
    repair: {
      create: true,
      read: true,
      update: true,
      tasks: true,
      actions: ['approve'],
      conditions: { update: { mechanic: { $caller: 'id' } } },
    },
  }),
}

const service = opened(() => startTestService(files))
let people = 0

const addPerson = (values: { readonly full_name?: string } = {}) => {
  people += 1
  return insertPerson(service.database.pool, `leaver-${people}`, 'mechanic', values)
}

const ask = (...args: Parameters<TestService['ask']>) => service.ask(...args)
const create = async (entity: string, body: object) =>
  Number((await ask('POST', `/${entity}`, { body })).json(201).id)
const read = async (entity: string, id: number) => (await ask('GET', `/${entity}/${id}`)).json(200)
const planOf = async (id: number) => (await ask('GET', `/api/accounts/${id}/leave`)).json(200)
const leaveFor = (id: number, to?: number) =>
  ask('POST', `/api/accounts/${id}/leave`, { body: to === undefined ? {} : { to } })

/** A repair that a user owns, with other links. */
const repairOf = async (owner: number, links: Readonly<Record<string, number>> = {}) => {
  const id = await create('repair', { title: 'Brakes', ...links })
  await service.database.pool.query('UPDATE records.repair SET _owned_by = $2 WHERE id = $1', [
    id,
    owner,
  ])
  return id
}

const credentials = {
  password: `(user_id, hash) VALUES ($1, 'x')`,
  passkey: `(user_id, credential_id, public_key, counter, transports, name) VALUES ($1, 'key ' || $1::integer, '', 0, '{}', 'Phone')`,
  second_factor: `(user_id, key, last_step) VALUES ($1, '', 0)`,
  recovery_code: `(user_id, digest) VALUES ($1, 'x')`,
  known_browser: `(user_id, digest) VALUES ($1, 'x')`,
  sign_in_step: `(user_id, digest, expires_at) VALUES ($1, 'step ' || $1::integer, now() + interval '1 hour')`,
  one_time_code: `(kind, user_id, digest, expires_at) VALUES ('code', $1, 'code ' || $1::integer, now() + interval '1 hour')`,
  calendar_feed: `(user_id, digest) VALUES ($1, 'feed ' || $1::integer)`,
} as const

const addCredentials = async (userId: number) => {
  for (const [name, values] of Object.entries(credentials))
    await service.database.pool.query(`INSERT INTO docket.${name} ${values}`, [userId])
}

/** The tables that still have some of a user. */
const credentialsOf = async (userId: number) => {
  const has = Object.keys(credentials).map(
    (name) => `SELECT '${name}' AS name FROM docket.${name} WHERE user_id = $1`,
  )
  return (await service.database.pool.query(has.join(' UNION ALL '), [userId])).rows
}

const item = (entity: string, field: string | null, count: number) => ({ entity, field, count })

describe('a user who leaves', () => {
  test('hands over what is their work, in one step, as the plan says', async () => {
    const [ana, bea] = [await addPerson({ full_name: 'Ana Novak' }), await addPerson()]
    const customer = await create('customer', { contact_id: ana, guide_id: ana })
    const links = { approver_id: ana, mechanic_id: ana, told_id: ana, seller_id: ana }
    const open = await repairOf(ana, { ...links, customer_id: customer })
    const done = await repairOf(ana, links)
    await service.database.pool.query(
      `UPDATE records.repair SET _step = 'done', approved_by_id = $2 WHERE id = $1`,
      [done, ana],
    )
    const task = async (is_completed: boolean) => {
      const body = { description: 'Look', assigne_id: ana, is_completed }
      return Number((await ask('POST', `/repair/${done}/task`, { body })).json(201).id)
    }
    const [openTask, doneTask] = [await task(false), await task(true)]
    const items = [
      item('repair', null, 1),
      item('customer', 'contact', 1),
      ...['_owned_by', 'mechanic', 'approver', 'told'].map((field) => item('repair', field, 1)),
    ]
    const plan = await planOf(ana)
    assert.deepEqual(plan, { items, sessions: 0, keys: 0 })
    assert.deepEqual((await leaveFor(ana, bea)).json(200), { ...plan, kept: [] })
    const { is_active } = await read('user', ana)
    assert.equal(is_active, false)
    const moved = await read('repair', open)
    const names = ['approver_id', 'mechanic_id', 'told_id', 'seller_id', '_owned_by'] as const
    assert.deepEqual(
      names.map((name) => moved[name]),
      [bea, bea, bea, ana, bea],
    )
    const kept = await read('repair', done)
    assert.deepEqual(
      names.map((name) => kept[name]),
      [ana, ana, ana, ana, ana],
    )
    assert.equal(kept.approved_by_id, ana)
    const { contact_id, guide_id } = await read('customer', customer)
    assert.deepEqual([contact_id, guide_id], [bea, ana])
    const tasks = (await ask('GET', `/repair/${done}/task`)).json(200)
    const assignees = new Map(
      tasks.map((one: { id: number; assigne_id: number }) => [one.id, one.assigne_id]),
    )
    assert.deepEqual([assignees.get(openTask), assignees.get(doneTask)], [bea, ana])
    // The history says who, what and why.
    const { data: history } = (await ask('GET', `/repair/${open}/history`)).json(200)
    const entries = history.filter((one: { comment: string | null }) => one.comment !== null)
    assert.deepEqual(
      entries.map((one: { operation: string; comment: string }) => [one.operation, one.comment]),
      ['change', 'change', 'change', 'takeOwnership'].map((operation) => [
        operation,
        'Handed over: a user has left.',
      ]),
    )
    // The audit says it once, among what is about the leaver.
    const { full_name: to_name } = (await ask('GET', `/user/${bea}`)).json(200)
    const { data: events } = (await ask('GET', `/api/audit?kind=leave&user=${ana}`)).json(200)
    assert.deepEqual(
      events.map((one: { about_user: { id: number }; detail: object }) => [
        one.about_user.id,
        one.detail,
      ]),
      [[ana, { to: bea, to_name, tasks: 1, records: 5, kept: 0, sessions: 0, keys: 0 }]],
    )
    // Nothing is left to hand over, and it may be repeated.
    assert.deepEqual((await planOf(ana)).items, [])
    assert.deepEqual((await leaveFor(ana)).json(200).items, [])
  })

  test('is signed out, and cannot come in again', async () => {
    const ana = await addPerson()
    const browser = openBrowser(service)
    const { key } = await createApiKey(service.database.pool, { userId: ana, name: 'robot' })
    const body = { api_key: key }
    ;(await browser.send('POST', '/console/-/session', { body })).json(200)
    const invitation = (await ask('POST', '/api/invitations', { body: { user_id: ana } })).json(201)
    await addCredentials(ana)
    assert.deepEqual(await planOf(ana), { items: [], sessions: 1, keys: 1 })
    const { sessions, keys } = (await leaveFor(ana)).json(200)
    assert.deepEqual([sessions, keys], [1, 1])
    assert.equal((await browser.send('GET', '/api/me')).status, 401)
    const { rows } = await service.database.pool.query<{ kind: string }>(
      `SELECT kind FROM docket.audit WHERE about_user_id = $1 AND user_id = 1 ORDER BY id`,
      [ana],
    )
    assert.deepEqual(
      rows.map(({ kind }) => kind),
      ['invite', 'endSession', 'revokeApiKey', 'revokeInvitation', 'leave'],
    )
    assert.deepEqual(await credentialsOf(ana), [])
    // Also once they are active again.
    ;(await ask('PATCH', `/user/${ana}`, { body: { is_active: true } })).json(200)
    assert.equal((await browser.send('GET', '/api/me')).status, 401)
    const again = await openBrowser(service).send('POST', '/console/-/session', { body })
    assert.match(again.json(401).detail, /wrong or was revoked/)
    const code = new URL(invitation.link).hash.replace('#invitation=', '')
    const look = await openBrowser(service).send('POST', '/console/-/invitation', {
      body: { code },
    })
    assert.equal(look.status, 401)
  })

  test('keeps what the rules of a record refuse to others, which is named', async () => {
    const [ana, bea] = [await addPerson(), await addPerson()]
    const mine = await repairOf(bea, { approver_id: ana, requester_id: bea })
    const other = await repairOf(bea, { approver_id: ana })
    const day = '2026-05-04'
    const shift = await create('shift', { mechanic_id: ana, day })
    await create('shift', { mechanic_id: bea, day })
    const reply = (await leaveFor(ana, bea)).json(200)
    assert.deepEqual(reply.items, [item('repair', 'approver', 1)])
    assert.deepEqual(
      reply.kept.map((one: { entity: string; id: number }) => [one.entity, one.id]),
      [
        ['repair', mine],
        ['shift', shift],
      ],
    )
    assert.match(reply.kept[0].detail, /Nobody approves what they have requested/)
    assert.match(reply.kept[1].detail, /mechanic_id/)
    assert.equal((await read('repair', other)).approver_id, bea)
    assert.equal((await read('repair', mine)).approver_id, ana)
  })

  test('hands over no user record to the user whose it is', async () => {
    const [ana, bea, cleo] = [await addPerson(), await addPerson(), await addPerson()]
    for (const id of [ana, bea, cleo])
      (await ask('PATCH', `/user/${id}`, { body: { manager_id: ana } })).json(200)
    const reply = (await leaveFor(ana, bea)).json(200)
    assert.deepEqual(reply.items, [item('user', 'manager', 1)])
    const detail = 'Nobody takes over their own user record.'
    assert.deepEqual(reply.kept, [{ entity: 'user', id: bea, task_id: null, detail }])
    const managers = [ana, bea, cleo].map(async (id) => (await read('user', id)).manager_id)
    assert.deepEqual(await Promise.all(managers), [ana, ana, bea])
  })

  test('is told to whom the work went: assignments and rules notify who takes over', async () => {
    const [ana, bea] = [await addPerson(), await addPerson()]
    const id = await repairOf(ana)
    ;(await leaveFor(ana, bea)).json(200)
    const { rows } = await service.database.pool.query(
      `SELECT payload->>'operation' AS operation FROM docket.job
       WHERE kind = 'notification.send' AND payload->>'entity_id' = $1`,
      [String(id)],
    )
    assert.deepEqual(rows, [{ operation: 'takeOwnership' }])
  })

  test('needs an active user who takes over, if there is anything', async () => {
    const [ana, gone] = [await addPerson(), await addPerson()]
    await repairOf(ana)
    ;(await leaveFor(gone)).json(200)
    const refused = [
      [await leaveFor(ana), /nobody is named who takes them over/],
      [await leaveFor(ana, gone), /no other active user/],
      [await leaveFor(ana, ana), /no other active user/],
      [await leaveFor(ana, 2_000_000_000), /no other active user/],
    ] as const
    for (const [reply, text] of refused) assert.match(reply.json(422).detail, text)
    // Nothing of it was done.
    assert.equal((await read('user', ana)).is_active, true)
    assert.equal((await leaveFor(2_000_000_000)).status, 404)
    const bad = await ask('POST', `/api/accounts/${ana}/leave`, { body: { to: '7' } })
    assert.equal(bad.status, 400)
  })

  test('is somebody else than the administrator who does it', async () => {
    const { id } = (await ask('GET', '/api/me')).json(200)
    assert.match((await leaveFor(id)).json(403).detail, /Another administrator/)
  })

  test('is not the last administrator, also of two who deactivate each other at once', async () => {
    const { pool } = service.database
    const me = Number((await ask('GET', '/api/me')).json(200).id)
    const last = /would leave no active administrator/
    const ways = [
      ask('PATCH', `/user/${me}`, { body: { is_blocked: true } }),
      ask('PATCH', `/user/${me}`, { body: { security_role_id: 2 } }),
      ask('DELETE', `/user/${me}`),
    ]
    for (const reply of await Promise.all(ways)) assert.match(reply.json(403).detail, last)
    ;(await ask('PATCH', `/user/${me}`, { body: { job_title: 'Chief' } })).json(200)
    // Nor by the end of their first role, without which further ones do not count.
    const { security_role_id } = await read('user', me)
    const first = await createAs(service, 'security_role', { key: 'chief', name: 'Chief' })
    const further = await createAs(service, 'user_role', { user_id: me, security_role_id })
    const becomes = (role: number) =>
      ask('PATCH', `/user/${me}`, { body: { security_role_id: role } })
    ;(await becomes(first.id)).json(200)
    assert.match((await ask('DELETE', `/security_role/${first.id}`)).json(403).detail, last)
    ;(await becomes(security_role_id)).json(200)
    for (const path of [`/security_role/${first.id}`, `/user_role/${further.id}`])
      assert.equal((await ask('DELETE', path)).status, 204)
    const bea = await insertPerson(pool, 'bea', 'administrator')
    const { key } = await createApiKey(pool, { userId: bea, name: 'robot' })
    await transaction(pool, async (connection) => {
      await lockAdministrators(connection)
      const headers = { Authorization: `Bearer ${key}` }
      const other = ask('POST', `/api/accounts/${me}/leave`, { body: {}, headers })
      await untilWaitingForLock(pool)
      await connection.query('UPDATE records."user" SET is_active = false WHERE id = $1', [bea])
      await connection.query('COMMIT')
      assert.match((await other).json(403).detail, last)
      await connection.query('BEGIN')
    })
    assert.equal((await read('user', me)).is_active, true)
  })
})

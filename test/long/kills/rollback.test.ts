/**
 * A version is deployed and used, a later one is deployed and used; then it is rolled back, and
 * deployed again. No stored value is lost, and no request gets a 500.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../../support/database.ts'
import { runDocket, tokenOf } from '../../support/docket.ts'
import { endWell, startUp } from '../../support/processes/a-service.ts'
import { type ProjectFiles, writeProject } from '../../support/service.ts'

const customer = (phone: object, ...more: object[]) => ({
  key: 'customer',
  displayField: 'name',
  fields: [{ key: 'name', type: 'string', required: true }, phone, ...more],
})
const ticket = (values: unknown[], first: { key: string; was?: string }) => ({
  key: 'ticket',
  fields: [
    { key: 'customer', type: 'manyToOne', entity: 'customer', required: true },
    { key: 'priority', type: 'enum', values },
  ],
  workflow: {
    initialStep: first.key,
    steps: [
      { ...first, actions: [{ key: 'close', kind: 'approveWorkflow', to: 'closed' }] },
      { key: 'closed', final: true },
    ],
  },
})

const earlier: ProjectFiles = {
  'entities/customer.json': customer({ key: 'phone', type: 'string', unique: true }),
  'entities/ticket.json': ticket(['low', 'normal', 'urgent'], { key: 'open' }),
}
const vatId = { key: 'vat_id', type: 'string', required: true, default: '-' }
const telephone = { key: 'telephone', was: 'phone', type: 'string', unique: true }
const withoutLow: ProjectFiles = {
  'entities/customer.json': customer(telephone, vatId),
  'entities/ticket.json': ticket(['normal', 'urgent'], { key: 'active', was: 'open' }),
}
const later: ProjectFiles = {
  ...withoutLow,
  'entities/ticket.json': ticket([{ value: 'normal', was: 'low' }, 'urgent'], {
    key: 'active',
    was: 'open',
  }),
  'entities/invoice.json': {
    key: 'invoice',
    fields: [{ key: 'customer', type: 'manyToOne', entity: 'customer', required: true }],
  },
}

type Ask = (
  method: string,
  path: string,
  body?: object,
) => Promise<{ status: number; text: string }>

const deployed = async (
  project: string,
  environment: Readonly<Record<string, string>>,
  work: (ask: Ask) => Promise<void>,
) => {
  const plan = await runDocket(['migrate', '--plan', '--project', project], environment)
  assert.equal(plan.code, 0, plan.out + plan.err)
  const migrated = await runDocket(['migrate', '--project', project], environment)
  assert.equal(migrated.code, 0, migrated.err)
  const service = await startUp(environment, ['--project', project])
  const token = await tokenOf(project, environment)
  const ask: Ask = async (method, path, body) => {
    const reply = await fetch(`${service.base}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    assert.ok(reply.status < 500, `${method} ${path}: ${reply.status} ${text}`)
    return { status: reply.status, text }
  }
  try {
    await work(ask)
  } finally {
    await endWell(service)
  }
}

const created = async (ask: Ask, path: string, body: object): Promise<number> => {
  const { status, text } = await ask('POST', path, body)
  assert.equal(status, 201, text)
  return JSON.parse(text).id
}
const read = async (ask: Ask, path: string) => {
  const { status, text } = await ask('GET', path)
  assert.equal(status, 200, text)
  return JSON.parse(text)
}
/** One value of every record, in the order of their ids. */
const all = async (ask: Ask, entity: string, field: string): Promise<unknown[]> =>
  (await read(ask, `/${entity}?sort=id`)).data.map((one: Record<string, unknown>) => one[field])

/** The names of the fields in the history of a record. */
const changedFields = async (ask: Ask, path: string): Promise<string[]> =>
  (await read(ask, `${path}/history`)).data.flatMap((entry: { changes: object }) =>
    Object.keys(entry.changes),
  )

test('a version is deployed, rolled back and deployed again, and nothing is lost', async () => {
  const database = await createTestDatabase()
  const environment = { DATABASE_URL: database.connectionString, LOG_LEVEL: 'error' }
  const [v1, blockedVersion, v2] = [
    await writeProject(earlier),
    await writeProject(withoutLow),
    await writeProject(later),
  ]
  await deployed(v1, environment, async (ask) => {
    await created(ask, '/customer', { name: 'A', phone: '1' })
    await created(ask, '/ticket', { customer_id: 1, priority: 'low' })
    await created(ask, '/customer/1/task', { description: 'call', is_completed: false })
  })

  // An enum value that a record uses is not removed without confirmation, and every command reports it.
  for (const args of [['migrate', '--plan'], ['migrate'], ['start', '--port', '0']]) {
    const { code, out, err } = await runDocket([...args, '--project', blockedVersion], environment)
    assert.equal(code, 4, err)
    assert.match(out + err, /1 record of ticket holds the priority "low"/)
  }

  await deployed(v2, environment, async (ask) => {
    assert.deepEqual(await all(ask, 'customer', 'telephone'), ['1'])
    assert.deepEqual(await all(ask, 'ticket', 'priority'), ['normal'])
    assert.deepEqual(await all(ask, 'ticket', '_step'), ['active'])
    await created(ask, '/customer', { name: 'B', telephone: '2', vat_id: 'DE2' })
    await created(ask, '/ticket', { customer_id: 2, priority: 'normal' })
    await created(ask, '/invoice', { customer_id: 2 })
    await ask('PATCH', '/customer/1', { telephone: '11', vat_id: 'DE1' })
    const changed = await changedFields(ask, '/customer/1')
    assert.equal(changed.filter((name) => name === 'telephone').length, 2)
  })

  await deployed(v1, environment, async (ask) => {
    assert.deepEqual(await all(ask, 'customer', 'phone'), ['11', '2'])
    assert.deepEqual(await all(ask, 'ticket', '_step'), ['open', 'open'])
    await created(ask, '/customer', { name: 'C', phone: '3' })
    await created(ask, '/ticket', { customer_id: 3, priority: 'urgent' })
    await ask('PATCH', '/customer/2', { phone: '22' })
    const { status, text } = await ask('POST', '/ticket/1/proceedToStep', { action: 'close' })
    assert.equal(status, 200, text)
    const exported = await ask('POST', '/customer/export', {})
    assert.equal(exported.text.trim().split('\r\n').length, 4)
    assert.equal((await ask('POST', '/customer', { name: 'D', phone: '22' })).status, 409)
  })

  await deployed(v2, environment, async (ask) => {
    assert.deepEqual(await all(ask, 'customer', 'telephone'), ['11', '22', '3'])
    assert.deepEqual(await all(ask, 'customer', 'vat_id'), ['DE1', 'DE2', '-'])
    assert.deepEqual(await all(ask, 'ticket', '_step'), ['closed', 'active', 'active'])
    assert.deepEqual(await all(ask, 'ticket', 'priority'), ['normal', 'normal', 'urgent'])
    assert.deepEqual(await all(ask, 'invoice', 'customer_id'), [2])
    assert.equal((await read(ask, '/customer/1/task')).length, 1)
    assert.ok((await changedFields(ask, '/customer/2')).includes('telephone'))
  })
})

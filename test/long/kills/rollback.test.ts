/**
 * A version is deployed and used, a later one is deployed and used; then it is rolled back, and
 * deployed again. No stored value is lost, and no request gets a 500.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase } from '../../support/database.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { runDocket, tokenOf } from '../../support/docket.ts'
import { asking, endWell, startUp } from '../../support/processes/a-service.ts'
import { type ProjectFiles, type Reply, writeProject } from '../../support/service.ts'

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
  ...entityFile('invoice', [
    { key: 'customer', type: 'manyToOne', entity: 'customer', required: true },
  ]),
}

type Environment = Readonly<Record<string, string>>
/** Sends a request, which is answered with this status. */
type Must = (status: number, method: string, path: string, body?: object) => Promise<Reply>

const deployed = async (
  project: string,
  environment: Environment,
  work: (must: Must) => Promise<void>,
) => {
  for (const args of [['migrate', '--plan'], ['migrate']]) {
    const { code, out, err } = await runDocket([...args, '--project', project], environment)
    assert.equal(code, 0, out + err)
  }
  const service = await startUp(environment, ['--project', project])
  const ask = asking(service.base, await tokenOf(project, environment))
  await work(async (status, method, path, body) => {
    const reply = await ask(method, path, body)
    assert.equal(reply.status, status, `${method} ${path}: ${reply.text}`)
    return reply
  })
  await endWell(service)
}

/** One value of every record, in the order of their ids. */
const all = async (must: Must, entity: string, field: string): Promise<unknown[]> =>
  (await must(200, 'GET', `/${entity}?sort=id`))
    .json()
    .data.map((one: Record<string, unknown>) => one[field])

/** How often the history of a record names a field. */
const timesChanged = async (must: Must, path: string, field: string): Promise<number> =>
  (await must(200, 'GET', `${path}/history`))
    .json()
    .data.filter(({ changes }: { changes: object }) => field in changes).length

test('a version is deployed, rolled back and deployed again, and nothing is lost', async () => {
  const database = await createTestDatabase()
  const environment: Environment = { DATABASE_URL: database.connectionString, LOG_LEVEL: 'error' }
  const [v1, blockedVersion, v2] = [
    await writeProject(earlier),
    await writeProject(withoutLow),
    await writeProject(later),
  ]
  await deployed(v1, environment, async (must) => {
    await must(201, 'POST', '/customer', { name: 'A', phone: '1' })
    await must(201, 'POST', '/ticket', { customer_id: 1, priority: 'low' })
    await must(201, 'POST', '/customer/1/task', { description: 'call', is_completed: false })
  })

  // An enum value that a record uses is not removed without confirmation, and every command reports it.
  for (const args of [['migrate', '--plan'], ['migrate'], ['start', '--port', '0']]) {
    const { code, out, err } = await runDocket([...args, '--project', blockedVersion], environment)
    assert.equal(code, 4, err)
    assert.match(out + err, /1 record of ticket holds the priority "low"/)
  }

  await deployed(v2, environment, async (must) => {
    assert.deepEqual(await all(must, 'customer', 'telephone'), ['1'])
    assert.deepEqual(await all(must, 'ticket', 'priority'), ['normal'])
    assert.deepEqual(await all(must, 'ticket', '_step'), ['active'])
    await must(201, 'POST', '/customer', { name: 'B', telephone: '2', vat_id: 'DE2' })
    await must(201, 'POST', '/ticket', { customer_id: 2, priority: 'normal' })
    await must(201, 'POST', '/invoice', { customer_id: 2 })
    await must(200, 'PATCH', '/customer/1', { telephone: '11', vat_id: 'DE1' })
    assert.equal(await timesChanged(must, '/customer/1', 'telephone'), 2)
  })

  await deployed(v1, environment, async (must) => {
    assert.deepEqual(await all(must, 'customer', 'phone'), ['11', '2'])
    assert.deepEqual(await all(must, 'ticket', '_step'), ['open', 'open'])
    await must(201, 'POST', '/customer', { name: 'C', phone: '3' })
    await must(201, 'POST', '/ticket', { customer_id: 3, priority: 'urgent' })
    await must(200, 'PATCH', '/customer/2', { phone: '22' })
    await must(200, 'POST', '/ticket/1/proceedToStep', { action: 'close' })
    const { text } = await must(200, 'POST', '/customer/export', {})
    assert.equal(text.trim().split('\r\n').length, 4)
    await must(409, 'POST', '/customer', { name: 'D', phone: '22' })
  })

  await deployed(v2, environment, async (must) => {
    assert.deepEqual(await all(must, 'customer', 'telephone'), ['11', '22', '3'])
    assert.deepEqual(await all(must, 'customer', 'vat_id'), ['DE1', 'DE2', '-'])
    assert.deepEqual(await all(must, 'ticket', '_step'), ['closed', 'active', 'active'])
    assert.deepEqual(await all(must, 'ticket', 'priority'), ['normal', 'normal', 'urgent'])
    assert.deepEqual(await all(must, 'invoice', 'customer_id'), [2])
    assert.equal((await must(200, 'GET', '/customer/1/task')).json().length, 1)
    assert.ok((await timesChanged(must, '/customer/2', 'telephone')) > 0)
  })
})

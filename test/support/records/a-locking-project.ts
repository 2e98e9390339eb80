/** A project whose orders lock what they say, and their lines, in later steps; and many writers against one action. */
import assert from 'node:assert/strict'
import { createUser } from '../console/create-user.ts'
import { entityFile, roleFile } from '../definitions/files.ts'
import { type AskOptions, type Reply, startTestService } from '../service.ts'

const money = { type: 'decimal', precision: 14, scale: 2 }
const link = (key: string, entity = key) => ({ key, type: 'manyToOne', entity })
const ofOrder = (key: string, entity: string) => ({
  key,
  type: 'oneToMany',
  entity,
  mappedBy: 'order',
})
const note = { key: 'note', type: 'text' }
const all = { create: true, read: true, update: true, delete: true, takeOwnership: true }
const to = (key: string, step: string, more: object = {}) => ({
  key,
  kind: 'proceedToStep',
  to: step,
  ...more,
})

const entities = {
  ...entityFile('customer', [{ key: 'name', type: 'string' }]),
  'entities/order.json': {
    key: 'order',
    ownership: true,
    fields: [
      ...[note, link('customer'), { key: 'cap', ...money }],
      { key: 'total', ...money, rollup: { sum: 'lines.amount' } },
      ...[ofOrder('lines', 'line'), ofOrder('parcels', 'parcel'), ofOrder('remarks', 'remark')],
    ],
    workflow: {
      initialStep: 'draft',
      steps: [
        { key: 'draft', actions: [to('submit', 'review')] },
        {
          key: 'review',
          name: 'In review',
          actions: [
            to('approve', 'approved', { form: 'approval' }),
            { key: 'sendBack', kind: 'returnToStep' },
          ],
          locks: {
            fields: ['lines', 'parcels', 'total', 'customer', 'cap', '_owned_by'],
            except: ['accountant'],
          },
        },
        {
          key: 'approved',
          actions: [to('correct', 'approved', { form: 'approval' })],
          locks: { fields: 'all' },
        },
      ],
      forms: [{ key: 'approval', fields: ['note', 'cap'] }],
    },
  },
  // Kept in a field of the order.
  'entities/line.json': {
    key: 'line',
    ownership: true,
    fields: [link('order'), { key: 'amount', ...money }],
    workflow: {
      initialStep: 'open',
      steps: [{ key: 'open', actions: [to('raise', 'open', { form: 'amount' })] }],
      forms: [{ key: 'amount', fields: ['amount', 'order'] }],
    },
  },
  // Not kept in any.
  ...entityFile('parcel', [link('order'), { key: 'weight', type: 'integer' }]),
  ...entityFile('remark', [link('order'), note]),
}

const everything = { order: { ...all, actions: ['submit', 'approve', 'sendBack', 'correct'] } }
const parts = { line: { ...all, actions: ['raise'] }, parcel: all, remark: all }
const roles = {
  ...roleFile('clerk', { ...everything, ...parts, customer: { read: true } }),
  ...roleFile('accountant', { ...everything, ...parts, customer: { read: true } }),
  // Writes lines of orders that it does not read.
  ...roleFile('packer', parts),
  // Reads orders without what says why a line is locked.
  ...roleFile('blind', { order: { ...all, hiddenFields: ['_step', 'lines'] }, ...parts }),
  ...roleFile('reader', { order: { read: true } }),
}

/** The service, its users, and the ways to write its records, by default as an administrator. */
export const startLocking = async () => {
  const service = await startTestService({ ...entities, ...roles })
  for (const name of ['clerk', 'accountant', 'packer', 'blind', 'reader'])
    await createUser(service, name)
  const { ask } = service
  const create = async (entity: string, body: object): Promise<number> =>
    (await ask('POST', `/${entity}`, { body })).json(201).id
  const act = (id: number, action: string, who: AskOptions & { values?: object } = {}) => {
    const { values, ...options } = who
    return ask('POST', `/order/${id}/proceedToStep`, { ...options, body: { action, values } })
  }
  const orderIn = async (step: 'draft' | 'review' | 'approved', body: object = {}) => {
    const id = await create('order', body)
    const line = await create('line', { order_id: id, amount: '10.00' })
    const parcel = await create('parcel', { order_id: id, weight: 1 })
    const taken = { draft: [], review: ['submit'], approved: ['submit', 'approve'] }[step]
    for (const action of taken) assert.equal((await act(id, action)).status, 200)
    return { id, line, parcel }
  }
  return { ...service, create, act, orderIn }
}

export type LockingService = Awaited<ReturnType<typeof startLocking>>

/**
 * Writes lines and parcels of one order by many requests while it is submitted. Returns what was written after that, and the total
 * that was submitted beside that of the lines in the end.
 */
export const writeWhileSubmitted = async (
  { ask, act, orderIn, database }: LockingService,
  writers: number,
) => {
  const { id, line, parcel } = await orderIn('draft')
  const other = await orderIn('draft')
  const as = 'clerk@example.com'
  const writes: readonly ((at: number) => Promise<Reply>)[] = [
    (at) => ask('PATCH', `/line/${line}`, { as, body: { amount: `${at + 1}.00` } }),
    () => ask('POST', '/line', { as, body: { order_id: id, amount: '5.00' } }),
    () => ask('PATCH', `/line/${other.line}`, { as, body: { order_id: id } }),
    (at) => ask('PATCH', `/parcel/${parcel}`, { as, body: { weight: at + 2 } }),
    () => ask('POST', '/parcel', { as, body: { order_id: id, weight: 3 } }),
    (at) =>
      ask('POST', '/line/bulk', {
        as,
        body: { ids: [line, other.line], do: { change: { amount: `${at + 1}.00` } } },
      }),
  ]
  const asked = Array.from({ length: writers }, (_, at) => writes[at % writes.length]?.(at))
  asked.splice(writers / 2, 0, act(id, 'submit'))
  const replies = await Promise.all(asked)
  const submitted = replies[writers / 2]?.json(200)
  const strange = replies.filter((reply) => reply && ![200, 201, 409].includes(reply.status))
  assert.deepEqual(
    strange.map((reply) => reply?.text),
    [],
  )
  const { rows } = await database.pool.query(
    `SELECT
       (SELECT count(*)::int FROM docket.history h
        WHERE h.id > (SELECT id FROM docket.history o
            WHERE o.entity_key = 'order' AND o.entity_id = $1 AND o.operation = 'proceedToStep')
          AND (h.entity_key = 'line' AND h.entity_id IN (SELECT id FROM records.line WHERE order_id = $1)
            OR h.entity_key = 'parcel' AND h.entity_id IN (SELECT id FROM records.parcel WHERE order_id = $1))
       ) AS late,
       (SELECT sum(amount)::text FROM records.line WHERE order_id = $1) AS total`,
    [id],
  )
  return { late: rows[0].late, submitted: submitted.total, total: rows[0].total }
}

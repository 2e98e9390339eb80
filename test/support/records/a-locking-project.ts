/** A project whose orders lock what they say, and their lines, in later steps; and many writers against one action. */
import assert from 'node:assert/strict'
import { createUser } from '../console/create-user.ts'
import { entityFile, link, roleFile } from '../definitions/files.ts'
import { type AskOptions, type Reply, shareService, startTestService } from '../service.ts'

const money = { type: 'decimal', precision: 14, scale: 2 }
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
      { key: 'cost', ...money, rollup: { sum: 'lines.cost' } },
      ...[ofOrder('lines', 'line'), ofOrder('parcels', 'parcel'), ofOrder('remarks', 'remark')],
      ofOrder('members', 'user'),
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
    fields: [
      ...[link('order'), { key: 'amount', ...money }],
      { key: 'pieces', type: 'oneToMany', entity: 'piece', mappedBy: 'line' },
      { key: 'labels', type: 'oneToMany', entity: 'label', mappedBy: 'line' },
      { key: 'pieces_cost', ...money, rollup: { sum: 'pieces.whole', where: { is_free: null } } },
      { key: 'cost', ...money, formula: 'pieces_cost * 2' },
    ],
    workflow: {
      initialStep: 'open',
      steps: [
        {
          key: 'open',
          actions: [to('raise', 'open', { kind: 'approveWorkflow', form: 'amount' })],
        },
      ],
      forms: [{ key: 'amount', fields: ['amount', 'order'] }],
    },
  },
  // Below the lines: what these are calculated from, down to the last, and what is in no rollup.
  ...entityFile('piece', [
    ...[link('line'), note, { key: 'is_free', type: 'boolean' }, { key: 'price', ...money }],
    { key: 'extras', type: 'oneToMany', entity: 'extra', mappedBy: 'piece' },
    { key: 'extras_price', ...money, rollup: { sum: 'extras.price' } },
    { key: 'extra_count', type: 'integer', rollup: { count: 'marks' } },
    { key: 'marks', type: 'oneToMany', entity: 'mark', mappedBy: 'piece' },
    { key: 'whole', ...money, formula: 'coalesce(price, 0) + extras_price' },
  ]),
  ...entityFile('extra', [link('piece'), { key: 'price', ...money }]),
  ...entityFile('mark', [link('piece'), note]),
  ...entityFile('label', [link('line'), note]),
  // Not kept in any.
  ...entityFile('parcel', [link('order'), { key: 'weight', type: 'integer' }]),
  ...entityFile('remark', [link('order'), note]),
  'entities/user.json': { key: 'user', extends: 'native', fields: [link('order')] },
}

const everything = { order: { ...all, actions: ['submit', 'approve', 'sendBack', 'correct'] } }
const deeper = { piece: all, extra: all, mark: all, label: all }
const parts = { line: { ...all, actions: ['raise'] }, parcel: all, remark: all, ...deeper }
const roles = {
  // Writes extras, and does not see to which line a piece belongs.
  ...roleFile('fitter', {
    ...everything,
    ...parts,
    piece: { ...all, hiddenFields: ['line'] },
  }),
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
  for (const name of ['clerk', 'accountant', 'packer', 'blind', 'reader', 'fitter'])
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
    const piece = await create('piece', { line_id: line, price: '1.00' })
    const extra = await create('extra', { piece_id: piece, price: '1.00' })
    const taken = { draft: [], review: ['submit'], approved: ['submit', 'approve'] }[step]
    for (const action of taken) assert.equal((await act(id, action)).status, 200)
    return { id, line, parcel, piece, extra }
  }
  return { ...service, create, act, orderIn }
}

/** The same, once for all files of a process. */
export const shareLocking = shareService(startLocking)

export type LockingService = Awaited<ReturnType<typeof startLocking>>

/**
 * Writes lines, parcels, and what lines are calculated from, of one order by many requests while it is submitted. Returns what was written after that, and the total
 * that was submitted together with that of the lines in the end.
 */
export const writeWhileSubmitted = async (
  { ask, act, orderIn, database }: LockingService,
  writers: number,
) => {
  const { id, line, parcel, piece, extra } = await orderIn('draft')
  const other = await orderIn('draft')
  const third = await orderIn('draft')
  const as = 'clerk@example.com'
  const writes: readonly ((at: number) => Promise<Reply>)[] = [
    (at) => ask('PATCH', `/line/${line}`, { as, body: { amount: `${at + 1}.00` } }),
    () => ask('POST', '/line', { as, body: { order_id: id, amount: '5.00' } }),
    () => ask('PATCH', `/line/${other.line}`, { as, body: { order_id: id } }),
    (at) => ask('PATCH', `/parcel/${parcel}`, { as, body: { weight: at + 2 } }),
    () => ask('POST', '/parcel', { as, body: { order_id: id, weight: 3 } }),
    (at) => ask('PATCH', `/extra/${extra}`, { as, body: { price: `${at + 1}.00` } }),
    () => ask('POST', '/piece', { as, body: { line_id: line, price: '2.00' } }),
    (at) => ask('PATCH', `/piece/${piece}`, { as, body: { note: `${at}` } }),
    (at) =>
      ask('PATCH', `/piece/${other.piece}`, {
        as,
        body: { line_id: at % 2 === 0 ? line : other.line },
      }),
    () => ask('PATCH', `/extra/${other.extra}`, { as, body: { piece_id: piece } }),
    (at) =>
      ask('PATCH', `/order/${id}`, {
        as,
        body: {
          note: `${at}`,
          lines: { create: [{ amount: '1.00' }], change: [{ id: line, amount: `${at + 1}.00` }] },
          parcels: { create: [{ weight: at }] },
        },
      }),
    (at) =>
      ask('PATCH', `/order/${third.id}`, {
        as,
        body: { lines: { change: [{ id: third.line, amount: `${at + 1}.00` }] } },
      }),
    (at) =>
      ask('POST', '/line/bulk', {
        as,
        body: { ids: [line, other.line, third.line], do: { change: { amount: `${at + 1}.00` } } },
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
            OR h.entity_key = 'parcel' AND h.entity_id IN (SELECT id FROM records.parcel WHERE order_id = $1)
            OR h.entity_key = 'piece' AND h.entity_id IN (
              SELECT p.id FROM records.piece p JOIN records.line l ON l.id = p.line_id WHERE l.order_id = $1))
       ) AS late,
       (SELECT sum(amount)::text FROM records.line WHERE order_id = $1) AS total,
       (SELECT cost::text FROM records."order" WHERE id = $1) AS cost`,
    [id],
  )
  const { late, total, cost } = rows[0]
  return { late, submitted: [submitted.total, submitted.cost], total: [total, cost] }
}

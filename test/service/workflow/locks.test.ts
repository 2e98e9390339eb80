/** What steps lock: by every way to write a record, for every role but those that are excepted. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectionOf } from '../../support/database.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { shareLocking, writeWhileSubmitted } from '../../support/records/a-locking-project.ts'
import type { AskOptions, Reply } from '../../support/service.ts'

const service = await shareLocking()
const { ask, create, act, orderIn } = service
const clerk = { as: 'clerk@example.com' }
const accountant = { as: 'accountant@example.com' }
const packer = { as: 'packer@example.com' }
const blind = { as: 'blind@example.com' }

const lockedBy = (reply: Reply): readonly (readonly [path: string, message: string])[] => {
  const { code, errors } = reply.json(409)
  assert.equal(code, 'record.locked')
  return errors.map(({ path, message }: { path: string; message: string }) => [path, message])
}
const change = (path: string, body: object, who: AskOptions = {}) =>
  ask('PATCH', path, { ...who, body })
const customer = await create('customer', { name: 'Anna' })

describe('fields that a step locks', () => {
  test('are written by nobody, not by administrators either; others are', async () => {
    const { id } = await orderIn('review', { cap: '1.00' })
    const body = { customer_id: customer, cap: '1.00', note: 'x' }
    const refused = [
      ['customer_id', 'is locked in the step "review"'],
      ['cap', 'is locked in the step "review"'],
    ]
    for (const who of [{}, clerk]) {
      assert.deepEqual(lockedBy(await change(`/order/${id}`, body, who)), refused)
      assert.equal((await change(`/order/${id}`, { note: 'y' }, who)).status, 200)
    }
    assert.equal((await ask('GET', `/order/${id}`)).json().customer_id, null)
  })

  test('keep what is in a list from being written with its record, and the record with it', async () => {
    const { id, line } = await orderIn('review')
    const body = {
      note: 'not kept',
      lines: { create: [{ amount: '1.00' }], change: [{ id: line, amount: '2.00' }] },
    }
    const reply = await change(`/order/${id}`, body, clerk)
    const ofOrder = `leads to order ${id}, which locks its "lines" in the step "review"`
    assert.deepEqual(lockedBy(reply), [
      ['lines.change[0].order_id', ofOrder],
      ['lines.create[0].order_id', ofOrder],
    ])
    assert.equal((await ask('GET', `/order/${id}`)).json().note, null)
    assert.equal((await change(`/order/${id}`, body, accountant)).json(200).total, '3.00')
  })

  test('are written in other steps, by excepted roles, and again after a step back', async () => {
    const { id } = await orderIn('review')
    assert.equal((await change(`/order/${id}`, { cap: '2.00' }, accountant)).status, 200)
    assert.equal((await ask('POST', `/order/${id}/takeOwnership`, accountant)).status, 200)
    lockedBy(await ask('POST', `/order/${id}/takeOwnership`, clerk))
    assert.equal((await act(id, 'sendBack')).status, 200)
    assert.equal((await change(`/order/${id}`, { cap: '3.00' }, clerk)).status, 200)
    assert.equal((await ask('POST', `/order/${id}/takeOwnership`, clerk)).status, 200)
  })

  test('are written by the forms of the actions of that step', async () => {
    const { id } = await orderIn('review')
    const values = { cap: '5.00', note: 'Fine.' }
    assert.equal((await act(id, 'approve', { ...clerk, values })).json(200).cap, '5.00')
    assert.equal((await act(id, 'correct', { ...clerk, values: { cap: '6.00' } })).status, 200)
  })

  test('are asked after rights, and before the values', async () => {
    const { id } = await orderIn('review')
    assert.deepEqual(
      lockedBy(await change(`/order/${id}`, { cap: 'much', customer_id: 'nobody', note: 3 })),
      [
        ['cap', 'is locked in the step "review"'],
        ['customer_id', 'is locked in the step "review"'],
      ],
    )
    assert.equal(
      (await change(`/order/${id}`, { cap: '1' }, { as: 'reader@example.com' })).status,
      403,
    )
    assert.equal((await change(`/order/${id}`, { note: 3, total: '1' })).status, 400)
    const stale = { headers: { 'If-Match': '"77"' } }
    assert.equal((await change(`/order/${id}`, { cap: '1' }, stale)).status, 412)
  })

  test('are named without the step where the role does not see it', async () => {
    const { id } = await orderIn('review')
    assert.deepEqual(lockedBy(await change(`/order/${id}`, { cap: '1' }, blind)), [
      ['cap', 'is locked now'],
    ])
  })

  test('keep the record as it is if all are locked', async () => {
    const { id } = await orderIn('approved')
    const whole = [['', `order ${id} is locked in the step "approved"`]]
    for (const who of [{}, accountant]) {
      lockedBy(await change(`/order/${id}`, { note: 'x' }, who))
      lockedBy(await ask('POST', `/order/${id}/takeOwnership`, who))
      assert.deepEqual(lockedBy(await ask('DELETE', `/order/${id}`, who)), whole)
      assert.deepEqual(lockedBy(await change(`/order/${id}`, { note: 'x' }, who)), [
        ['note', 'is locked in the step "approved"'],
      ])
    }
    // Records of native entities are also written by the service itself.
    assert.equal((await change('/user/2', { order_id: id })).status, 200)
    await service.database.pool.query(
      'UPDATE records."order" SET _is_deleted = true WHERE id = $1',
      [id],
    )
    assert.deepEqual(lockedBy(await ask('POST', `/order/${id}/restore`)), whole)
  })

  test('refuse each of many records by itself', async () => {
    const [open, closed] = [await orderIn('draft'), await orderIn('review')]
    const body = { ids: [open.id, closed.id], do: { change: { cap: '7.00' } } }
    const { data } = (await ask('POST', '/order/bulk', { ...clerk, body })).json(200)
    assert.deepEqual(
      data.map((one: { status: string; code: string; errors: unknown }) => [one.status, one.code]),
      [
        ['done', null],
        ['refused', 'record.locked'],
      ],
    )
    assert.deepEqual(data[1].errors, [{ path: 'cap', message: 'is locked in the step "review"' }])
  })
})

describe('records of a one-to-many field that a step locks', () => {
  const locked = (id: number, list = 'lines') => [
    ['order_id', `leads to order ${id}, which locks its "${list}" in the step "review"`],
  ]

  test('are neither created, changed, moved, removed, restored nor taken over', async () => {
    const free = await orderIn('draft')
    const { id, line, parcel } = await orderIn('draft')
    const removed = await create('line', { order_id: id, amount: '2.00' })
    await ask('DELETE', `/line/${removed}`)
    const restorable = async () =>
      (await ask('GET', `/line/${removed}/actions?removed=true`)).json(200)
    const none = {
      update: false,
      takeOwnership: false,
      tasks: false,
      comments: false,
      internalComments: false,
    }
    assert.partialDeepStrictEqual(await restorable(), {
      data: [],
      may: { ...none, delete: true },
      lockedFields: [],
      mayCreate: {},
    })
    assert.equal((await act(id, 'submit')).status, 200)
    const { may, lockedFields } = await restorable()
    assert.deepEqual([may, lockedFields[0].through], [{ ...none, delete: false }, 'order'])
    const raise = (of: number, values: object) =>
      ask('POST', `/line/${of}/proceedToStep`, { body: { action: 'raise', values } })
    const asked: readonly (readonly [Reply, string?])[] = [
      [await ask('POST', '/line', { body: { order_id: id, amount: '1.00' } })],
      [await ask('POST', '/parcel', { body: { order_id: id, weight: 1 } }), 'parcels'],
      [await change(`/line/${line}`, { amount: '1.00' })],
      [await change(`/line/${line}`, { order_id: free.id })],
      [await change(`/line/${line}`, { order_id: null })],
      [await change(`/line/${free.line}`, { order_id: id })],
      [await change(`/parcel/${parcel}`, { weight: 'heavy' }), 'parcels'],
      [await ask('DELETE', `/line/${line}`)],
      [await ask('POST', `/line/${removed}/restore`)],
      [await ask('POST', `/line/${line}/takeOwnership`)],
    ]
    for (const [reply, list] of asked) assert.deepEqual(lockedBy(reply), locked(id, list))
    const [[path]] = locked(id) as [[string, string]]
    for (const reply of [
      await raise(line, { amount: '3.00' }),
      await raise(line, { order_id: free.id }),
      await raise(free.line, { order_id: id }),
    ])
      assert.deepEqual(lockedBy(reply)[0]?.[0], `values.${path}`)
    for (const dryRun of [true, false]) {
      const body = { ids: [line, free.line], do: { remove: true }, dryRun }
      const { data } = (await ask('POST', '/line/bulk', { body })).json(200)
      assert.deepEqual(
        data.map(({ status }: { status: string }) => status),
        ['refused', 'done'],
      )
    }
    const { total } = (await ask('GET', `/order/${id}`)).json()
    assert.equal(total, '10.00')
  })

  test('are written by excepted roles, and the total with them; others lists stay open', async () => {
    const { id, line } = await orderIn('review')
    assert.equal((await change(`/line/${line}`, { amount: '12.00' }, accountant)).status, 200)
    assert.equal((await ask('GET', `/order/${id}`)).json().total, '12.00')
    assert.equal((await ask('POST', '/remark', { ...clerk, body: { order_id: id } })).status, 201)
  })

  test('stay locked while their record is removed', async () => {
    const { id, line } = await orderIn('review')
    assert.equal((await ask('DELETE', `/order/${id}`)).status, 204)
    assert.deepEqual(lockedBy(await change(`/line/${line}`, { amount: '1' })), locked(id))
  })

  test('are refused without a word of what the role does not read', async () => {
    const { id, line } = await orderIn('review')
    const free = await orderIn('draft')
    assert.deepEqual(lockedBy(await change(`/line/${line}`, { amount: '1' }, packer)), [
      ['order_id', 'leads to a record that locks this one now'],
    ])
    assert.deepEqual(lockedBy(await change(`/line/${line}`, { amount: '1' }, blind)), [
      ['order_id', `leads to order ${id}, which locks this record now`],
    ])
    // Whether the order is locked, or there at all, is not told to whom may not read it.
    const replies = [id, 999_999].map((order_id) =>
      change(`/line/${free.line}`, { order_id }, packer),
    )
    const details = (await Promise.all(replies)).map((reply) => reply.json(422).detail)
    const message = (of: number) => `order_id: there is no record ${of} that you may read`
    assert.deepEqual(details, [message(id), message(999_999)])
  })

  test('have the answer that was given before, for the same key', async () => {
    const { id } = await orderIn('draft')
    const post = () =>
      ask('POST', '/line', {
        headers: { 'Idempotency-Key': `line-of-${id}` },
        body: { order_id: id, amount: '1.00' },
      })
    const first = (await post()).json(201)
    await act(id, 'submit')
    assert.deepEqual((await post()).json(201), first)
  })
})

describe('records from which those of a locked list are calculated', () => {
  const locked = (path: string, id: number) => [
    [path, `leads to order ${id}, which locks its "lines" in the step "review"`],
  ]

  test('are locked as far down as rollups lead; others are not', async () => {
    const free = await orderIn('draft')
    const { id, line, piece, extra } = await orderIn('draft')
    const label = await create('label', { line_id: line })
    assert.equal((await act(id, 'submit')).status, 200)
    const cost = async () => (await ask('GET', `/order/${id}`)).json().cost
    assert.equal(await cost(), '4.00')
    const asked: readonly (readonly [Reply, string])[] = [
      [await ask('POST', '/piece', { body: { line_id: line, price: '1.00' } }), 'line_id'],
      [await change(`/piece/${piece}`, { note: 'x' }), 'line_id'],
      [await change(`/piece/${piece}`, { line_id: free.line }), 'line_id'],
      [await change(`/piece/${free.piece}`, { line_id: line }), 'line_id'],
      [await ask('DELETE', `/piece/${piece}`), 'line_id'],
      [await ask('POST', '/extra', { body: { piece_id: piece, price: '1.00' } }), 'piece_id'],
      [await change(`/extra/${extra}`, { price: '7.00' }), 'piece_id'],
      [await change(`/extra/${free.extra}`, { piece_id: piece }), 'piece_id'],
      [await ask('DELETE', `/extra/${extra}`), 'piece_id'],
    ]
    for (const [reply, path] of asked) assert.deepEqual(lockedBy(reply), locked(path, id))
    const body = { ids: [extra, free.extra], do: { change: { price: '3.00' } } }
    const { data } = (await ask('POST', '/extra/bulk', { body })).json(200)
    assert.deepEqual(
      data.map(({ status }: { status: string }) => status),
      ['refused', 'done'],
    )
    assert.equal(await cost(), '4.00')
    assert.equal((await change(`/label/${label}`, { note: 'x' })).status, 200)
    // A count that nothing above reads keeps nothing of the order.
    assert.equal((await ask('POST', '/mark', { body: { piece_id: piece } })).status, 201)
    assert.equal((await change(`/extra/${extra}`, { price: '7.00' }, accountant)).status, 200)
    assert.equal(await cost(), '16.00')
  })

  test('wait for an action on the record above, and for a record between that is moved', async () => {
    const { id, line, piece, extra } = await orderIn('draft')
    const closed = await orderIn('review')
    const other = await connectionOf(service.database.pool)
    const moved = `UPDATE records.line SET order_id = ${closed.id} WHERE id = ${line}`
    const submitted = `UPDATE records."order" SET _step = 'review' WHERE id = ${id}`
    for (const [statement, back, order] of [
      [moved, `UPDATE records.line SET order_id = ${id} WHERE id = ${line}`, closed.id],
      [submitted, `UPDATE records."order" SET _step = 'draft' WHERE id = ${id}`, id],
    ] as const)
      for (const [path, link, body] of [
        [`/piece/${piece}`, 'line_id', { note: 'late' }],
        [`/extra/${extra}`, 'piece_id', { price: '9.00' }],
      ] as const) {
        await other.query(`BEGIN; ${statement}`)
        const writing = change(path, body)
        await untilWaitingForLock(service.database.pool)
        await other.query('COMMIT')
        assert.deepEqual(lockedBy(await writing), locked(link, order))
        await service.database.pool.query(back)
      }
  })

  test('are said to be locked, as far as the way to the record above is seen', async () => {
    const { id, line, piece, extra } = await orderIn('review')
    const saidOf = async (path: string, who: AskOptions = {}) => {
      const { lockedFields, may, mayCreate } = (await ask('GET', `${path}/actions`, who)).json(200)
      return { field: lockedFields[0], may: may.update, mayCreate }
    }
    const review = { key: 'review', name: 'In review' }
    assert.deepEqual(await saidOf(`/line/${line}`, clerk), {
      field: { key: 'order', through: 'order', step: review },
      may: false,
      mayCreate: { pieces: false, labels: true },
    })
    assert.deepEqual(await saidOf(`/piece/${piece}`, clerk), {
      field: { key: 'line', through: 'line', step: review },
      may: false,
      mayCreate: { extras: false, marks: true },
    })
    const seen = { key: 'piece', through: 'piece', step: review }
    assert.deepEqual((await saidOf(`/extra/${extra}`, clerk)).field, seen)
    for (const as of ['fitter@example.com', 'packer@example.com']) {
      assert.deepEqual((await saidOf(`/extra/${extra}`, { as })).field, { ...seen, step: null })
      assert.deepEqual(lockedBy(await change(`/extra/${extra}`, { price: '2.00' }, { as })), [
        ['piece_id', 'leads to a record that locks this one now'],
      ])
    }
    await act(id, 'sendBack')
    assert.equal((await saidOf(`/extra/${extra}`, clerk)).may, true)
  })
})

test('no record of a list is written after its record has entered the step', async () => {
  for (let round = 0; round < 2; round++) {
    const { late, submitted, total } = await writeWhileSubmitted(service, 50)
    assert.deepEqual([late, total], [0, submitted])
  }
})

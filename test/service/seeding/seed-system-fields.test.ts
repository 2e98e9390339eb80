/** Seeds may set system fields: id, creator, owner, times, step and removal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  acme,
  assertRows,
  countsFor,
  countsOf,
  seeded,
  shareSeeded,
  user,
} from './a-seeded-project.ts'

shareSeeded()

test('system fields are set as given; _owned_by and _updated_by default to the creator', async () => {
  await seeded.load({
    '1-user.json': [
      { ...user('anna'), _created_by: { email: 'anna@example.com' } },
      { ...user('gone'), _is_deleted: true },
    ],
    '2-supplier.json': [acme],
    '3-order.json': [
      {
        number: 1,
        supplier_id: 1,
        _step: 'done',
        _created_at: '2024-01-02T03:04:05.678Z',
        _created_by: { email: 'anna@example.com' },
      },
      {
        number: 2,
        supplier_id: 1,
        _created_by: { email: 'gone@example.com' },
        _updated_by: 1,
        _owned_by: 1,
        _updated_at: '2024-02-02T00:00:00.000Z',
      },
    ],
  })
  await assertRows(
    `SELECT _step, _created_by, _updated_by, _owned_by, _created_at < '2025-01-01' AS is_past, _updated_at FROM records."order" ORDER BY number`,
    [
      {
        _step: 'done',
        _created_by: 1,
        _updated_by: 1,
        _owned_by: 1,
        is_past: true,
        _updated_at: '2024-01-02 03:04:05.678+00',
      },
      {
        _step: 'draft',
        _created_by: 2,
        _updated_by: 1,
        _owned_by: 1,
        is_past: false,
        _updated_at: '2024-02-02 00:00:00+00',
      },
    ],
  )
  await assertRows(`SELECT _created_by FROM records."user" WHERE id = 1`, [{ _created_by: 1 }])
})

test('an empty CSV field for a step or a time gets the default', async () => {
  await seeded.load({
    '1-supplier.json': [acme],
    '2-order.csv': 'number,supplier_id,_step,_created_at\n1,1,,\n',
  })
  await assertRows(
    'SELECT _step, _created_at > now() - interval \'1 hour\' AS is_now FROM records."order"',
    [{ _step: 'draft', is_now: true }],
  )
})

test('given ids are used, other records get ids after the highest one, and a lower id does not change that', async () => {
  const seeds = {
    '1-supplier.json': [acme, { ...acme, code: 'B', id: 1 }, { ...acme, code: 'C', id: 40 }],
  }
  await seeded.load(seeds)
  assert.deepEqual(await seeded.load(seeds), [countsFor('1-supplier.json', 0, 0, 3)])
  await seeded.pool.query(
    `INSERT INTO records.supplier (code, name, rating) VALUES ('D', 'D', 'good')`,
  )
  await assertRows('SELECT id, code FROM records.supplier ORDER BY id', [
    { id: 1, code: 'B' },
    { id: 40, code: 'C' },
    { id: 41, code: 'ACME' },
    { id: 42, code: 'D' },
  ])
  await seeded.load({
    '1-supplier.json': [
      { ...acme, code: 'E', id: 7 },
      { ...acme, code: 'F' },
    ],
  })
  await assertRows(`SELECT id FROM records.supplier WHERE code IN ('E', 'F')`, [
    { id: 7 },
    { id: 43 },
  ])
})

test('a removed seed record is loaded once, next to one with the same key that is not removed', async () => {
  const seeds = { '1-supplier.json': [{ ...acme, _is_deleted: true }, acme] }
  await seeded.load(seeds)
  assert.deepEqual(await seeded.load(seeds), [countsFor('1-supplier.json', 0, 0, 2)])
  await assertRows('SELECT _is_deleted FROM records.supplier ORDER BY id', [
    { _is_deleted: true },
    { _is_deleted: false },
  ])
})

test('an update removes a record whose seed is now removed, once', async () => {
  await seeded.load({ '1-supplier.json': [acme] })
  const removed = { '1-supplier.json': [{ ...acme, _is_deleted: true }] }
  for (const counts of [
    countsFor('1-supplier.json', 0, 1, 0),
    countsFor('1-supplier.json', 0, 0, 1),
  ])
    assert.deepEqual((await seeded.update(removed)).map(countsOf), [counts])
  await assertRows('SELECT operation FROM docket.history', [{ operation: 'remove' }])
})

test('an update creates a removed record again, or restores it when its seed has its id', async () => {
  const seeds = { '1-supplier.json': [acme, { ...acme, code: 'B', id: 9 }] }
  await seeded.load(seeds)
  await seeded.pool.query('UPDATE records.supplier SET _is_deleted = true')
  assert.deepEqual((await seeded.update(seeds)).map(countsOf), [
    countsFor('1-supplier.json', 1, 1, 0),
  ])
  await assertRows('SELECT code, _is_deleted FROM records.supplier ORDER BY _is_deleted, code', [
    { code: 'ACME', _is_deleted: false },
    { code: 'B', _is_deleted: false },
    { code: 'ACME', _is_deleted: true },
  ])
})

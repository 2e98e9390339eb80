/** Loading seeds does not overwrite what users changed or removed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { acme, assertRows, countsFor, countsOf, seeded, shareSeeded } from './a-seeded-project.ts'

shareSeeded()

const beta = { code: 'BETA', name: 'Beta' }
const seeds = {
  '1-supplier.json': [acme, beta],
  '2-order.json': [{ number: 1, supplier: { code: 'ACME' } }],
}

/** Changes a supplier as the service does for a user: the record, and its history with the user. */
const changeAsUser = async (set: string, where: string) => {
  await seeded.pool.query(
    `WITH changed AS (UPDATE records.supplier SET ${set} WHERE ${where} RETURNING id)
     INSERT INTO docket.history (entity_key, entity_id, operation, changes, user_id)
     SELECT 'supplier', id, 'change', '{}', 1 FROM changed`,
  )
}

const countsAfterRemoval = [
  countsFor('1-supplier.json', 0, 0, 1, 1),
  countsFor('2-order.json', 0, 0, 1),
]

const suppliers = () =>
  seeded.rows('SELECT code, name, _is_deleted, _version FROM records.supplier ORDER BY id')

test('loading seeds does not change an existing record, whether its seed or the record differs', async () => {
  await seeded.load(seeds)
  await changeAsUser(`name = 'Acme & Sons'`, `code = 'ACME'`)
  const changed = { ...seeds, '1-supplier.json': [acme, { ...beta, name: 'Better' }] }
  assert.deepEqual(await seeded.load(changed), [
    countsFor('1-supplier.json', 0, 0, 0, 2),
    countsFor('2-order.json', 0, 0, 1),
  ])
  assert.deepEqual(await suppliers(), [
    { code: 'ACME', name: 'Acme & Sons', _is_deleted: false, _version: 1 },
    { code: 'BETA', name: 'Beta', _is_deleted: false, _version: 1 },
  ])
})

test('an update changes records that no user changed, and lists those that it leaves', async () => {
  await seeded.load(seeds)
  await changeAsUser(`name = 'Acme & Sons'`, `code = 'ACME'`)
  const [files] = await seeded.update({ '1-supplier.json': [acme, { ...beta, name: 'Better' }] })
  assert.deepEqual(files?.updated, [{ id: 2, fields: ['name'] }])
  assert.deepEqual(files?.left, [{ id: 1, reason: 'changed by users' }])
  // A second change of the seed is applied too: an update of seeds does not count as a change by a user.
  const [next] = await seeded.update({ '1-supplier.json': [acme, { ...beta, name: 'Best' }] })
  assert.deepEqual(next?.updated, [{ id: 2, fields: ['name'] }])
})

test('a change by a user while an update runs is not overwritten', async () => {
  await seeded.load(seeds)
  const user = await seeded.pool.connect()
  await user.query(`BEGIN; UPDATE records.supplier SET name = 'Acme & Sons' WHERE code = 'ACME'`)
  await user.query(
    `INSERT INTO docket.history (entity_key, entity_id, operation, changes, user_id) VALUES ('supplier', 1, 'change', '{}', 1)`,
  )
  const updated = seeded.update({
    '1-supplier.json': [
      { ...acme, name: 'Acme 2' },
      { ...beta, name: 'Better' },
    ],
  })
  await untilWaitingForLock(seeded.pool)
  await user.query('COMMIT')
  user.release()
  const [files] = await updated
  assert.deepEqual(files?.updated, [{ id: 2, fields: ['name'] }])
  assert.deepEqual(files?.left, [{ id: 1, reason: 'changed by users' }])
  assert.deepEqual(
    (await suppliers()).map(({ name }) => name),
    ['Acme & Sons', 'Better'],
  )
})

test('a record that a user removed is not created again, and links to it stay', async () => {
  await seeded.load(seeds)
  await changeAsUser('_is_deleted = true', `code = 'ACME'`)
  assert.deepEqual(await seeded.load(seeds), countsAfterRemoval)
  const files = await seeded.update(seeds)
  assert.deepEqual(files.map(countsOf), countsAfterRemoval)
  assert.deepEqual(files[0]?.left, [{ id: 1, reason: 'removed by users' }])
  await assertRows('SELECT supplier_id FROM records."order"', [{ supplier_id: 1 }])
})

test('a new record cannot link to a record that a user removed', async () => {
  await seeded.load(seeds)
  await changeAsUser('_is_deleted = true', `code = 'ACME'`)
  const linking = {
    '2-order.json': '[{ "number": 2, "supplier": { "code": "ACME" } }]',
    '3-supplier.json': '[{ "code": "PART", "name": "Part", "parent": { "code": "ACME" } }]',
  }
  const removed =
    'the supplier with the code "ACME" was removed; restore it, or link to another one'
  const places = [
    'seed/2-order.json:1:31 [0].supplier.code',
    'seed/3-supplier.json:1:48 [0].parent.code',
  ]
  for (const [position, [name, text]] of Object.entries(linking).entries())
    assert.deepEqual(await seeded.errorsOf({ ...seeds, [name]: text }), [
      'The seeds have an error; nothing was loaded:',
      `${places[position]} ${removed}`,
    ])
})

test('a plan returns what an update would change, and changes nothing', async () => {
  await seeded.load(seeds)
  const changed = {
    '1-supplier.json': [acme, { ...beta, name: 'Better' }, { code: 'C', name: 'C' }],
  }
  const [planned] = await seeded.update(changed, true)
  assert.equal(planned?.inserted, 1)
  assert.deepEqual(planned?.updated, [{ id: 2, fields: ['name'] }])
  assert.deepEqual(await suppliers(), [
    { code: 'ACME', name: 'Acme', _is_deleted: false, _version: 1 },
    { code: 'BETA', name: 'Beta', _is_deleted: false, _version: 1 },
  ])
  await assertRows('SELECT FROM docket.history', [])
})

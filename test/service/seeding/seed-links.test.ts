/** Records of seeds link to others by id or unique fields. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acme, countsFor, seeded, shareSeeded, user } from './a-seeded-project.ts'

shareSeeded()

test('a many-to-one is given by any unique field, by id, or as null', async () => {
  await seeded.load({
    '1-supplier.json': [{ ...acme, vat: 'HR1' }],
    '2-order.json': [
      { number: 1, supplier: { code: 'ACME' } },
      { number: 2, supplier: { vat: 'HR1' } },
      { number: 3, supplier: { id: 1 }, _owned_by: null },
      { number: 4, supplier_id: 1, _owned_by: { email: null } },
    ],
  })
  assert.deepEqual(await seeded.rows('SELECT DISTINCT supplier_id FROM records."order"'), [
    { supplier_id: 1 },
  ])
})

test('records of one file may link to each other in any order, in cycles and to themselves', async () => {
  const seeds = {
    '1-supplier.json': [
      { ...acme, code: 'A', parent: { code: 'B' } },
      { ...acme, code: 'B', parent: { code: 'A' } },
      { ...acme, code: 'C', parent: { code: 'C' } },
    ],
  }
  await seeded.load(seeds)
  assert.deepEqual(
    await seeded.rows(
      'SELECT s.code, p.code AS parent FROM records.supplier s JOIN records.supplier p ON p.id = s.parent_id ORDER BY 1',
    ),
    [
      { code: 'A', parent: 'B' },
      { code: 'B', parent: 'A' },
      { code: 'C', parent: 'C' },
    ],
  )
  assert.deepEqual(await seeded.load(seeds), [countsFor('1-supplier.json', 0, 0, 3)])
})

test('an existing record may link to a new record of the same file', async () => {
  await seeded.load({ '1-supplier.json': [acme] })
  await seeded.update({
    '1-supplier.json': [
      { code: 'ACME', parent: { code: 'NEW' } },
      { code: 'NEW', name: 'New' },
    ],
  })
  assert.deepEqual(
    await seeded.rows(`SELECT parent_id FROM records.supplier WHERE code = 'ACME'`),
    [{ parent_id: 2 }],
  )
})

test('users link to their role, and group members are identified by group and user', async () => {
  const seeds = {
    '1-user_group.json': [{ code: 'staff', name: 'Staff' }],
    '2-user.json': [user('anna'), user('boris')],
    '3-user_group_member.csv':
      'user_group.code,user.email\nstaff,anna@example.com\nstaff,boris@example.com\n',
  }
  await seeded.load(seeds)
  const files = await seeded.load(seeds)
  assert.deepEqual(files.at(-1), countsFor('3-user_group_member.csv', 0, 0, 2))
  assert.deepEqual(
    await seeded.rows(
      'SELECT u.email, r.key FROM records.user_group_member m JOIN records."user" u ON u.id = m.user_id JOIN records.security_role r ON r.id = u.security_role_id ORDER BY 1',
    ),
    [
      { email: 'anna@example.com', key: 'buyer' },
      { email: 'boris@example.com', key: 'buyer' },
    ],
  )
})

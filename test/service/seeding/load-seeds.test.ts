/** Loading seeds creates records and their links, an update changes those that differ, others stay; a start seeds a project once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnseeded, loadSeeds } from '../../../src/seeding/load-seeds.ts'
import { insertPerson } from '../../support/a-person.ts'
import { pngOf } from '../../support/uploads.ts'
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

test('files are loaded in the order of their numbers, each with its progress and counts', async () => {
  const progress: string[] = []
  await seeded.write({
    '100-order.json': [{ number: 1, supplier: { code: 'ACME' } }],
    '20-supplier.json': [acme],
    '21-supplier.json': [],
    '.hidden.json': 'not a seed',
    'README.md': 'not a seed either',
  })
  const onProgress = ({ file }: { file: string }) => progress.push(file)
  const { files } = await loadSeeds({ ...seeded.given, onProgress })
  assert.deepEqual(files.map(countsOf), [
    countsFor('20-supplier.json', 1, 0, 0),
    countsFor('21-supplier.json', 0, 0, 0),
    countsFor('100-order.json', 1, 0, 0),
  ])
  assert.deepEqual(progress, [
    'seed/20-supplier.json',
    'seed/21-supplier.json',
    'seed/100-order.json',
  ])
})

test('loading seeds twice changes nothing and writes no history', async () => {
  const seeds = {
    '1-supplier.json': [acme, { code: 'BETA', name: 'Beta', parent: { code: 'ACME' } }],
    '2-order.csv':
      'number,supplier.code,extra,total,placed_at\n1,ACME,"{""a"": [1, 2]}",5,2026-05-04 10:30:00\n',
  }
  const everything =
    'SELECT row_to_json(s) AS row FROM records.supplier s UNION ALL SELECT row_to_json(o) FROM records."order" o'
  await seeded.load(seeds)
  const before = await seeded.rows(everything)
  assert.deepEqual(await seeded.load(seeds), [
    countsFor('1-supplier.json', 0, 0, 2),
    countsFor('2-order.csv', 0, 0, 1),
  ])
  assert.deepEqual(await seeded.rows(everything), before)
  await assertRows('SELECT FROM docket.history', [])
})

test('an update changes records that differ: version, _updated_at and a history entry without a user', async () => {
  await seeded.load({ '1-supplier.json': [acme, { code: 'BETA', name: 'Beta' }] })
  await seeded.pool.query(`UPDATE records.supplier SET _updated_at = '2020-01-01'`)
  const files = await seeded.update({
    '1-supplier.json': [{ code: 'BETA', name: 'Better' }, acme],
  })
  assert.deepEqual(files.map(countsOf), [countsFor('1-supplier.json', 0, 1, 1)])
  assert.deepEqual(files[0]?.updated, [{ id: 2, fields: ['name'] }])
  await assertRows(
    'SELECT entity_key, entity_id, operation, changes::text, user_id FROM docket.history',
    [
      {
        entity_key: 'supplier',
        entity_id: 2,
        operation: 'change',
        changes: '{"name":{"before":"Beta","after":"Better"}}',
        user_id: null,
      },
    ],
  )
  await assertRows(
    `SELECT id, name, _version, _updated_at > '2020-01-02' AS is_fresh FROM records.supplier ORDER BY id`,
    [
      { id: 1, name: 'Acme', _version: 1, is_fresh: false },
      { id: 2, name: 'Better', _version: 2, is_fresh: true },
    ],
  )
})

test('seeds find records and links by texts that look the same, and repeat none', async () => {
  const named = (code: string) => ({ ...acme, code, vat: null })
  await seeded.load({ '1-supplier.json': [named('CAF\u00C9')] })
  await seeded.load({
    '1-supplier.json': [named(' CAFE\u0301'), { ...named('SUB'), parent: { code: 'CAFE\u0301 ' } }],
  })
  await assertRows('SELECT code, parent_id FROM records.supplier ORDER BY id', [
    { code: 'CAF\u00C9', parent_id: null },
    { code: 'SUB', parent_id: 1 },
  ])
})

test('seeds find records and links whatever the case of their unique texts, and by missing parts, where the index does', async () => {
  const shelves = (code: string, above: string) => ({
    '1-shelf.json': [
      { code: 'B-1', room: 'Hall', label: 'b' },
      { code, room: 'Hall', label: 'a', above: { code: above } },
    ],
    '2-drawer.json': [
      { room: 'Hall', label: null, above: { code } },
      { room: 'Hall', label: code, above: { code: above } },
      { room: code },
    ],
  })
  await seeded.load(shelves('\u00C4-1', 'b-1'))
  const counts = await seeded.load(shelves('\u00E4-1', 'B-1'))
  assert.deepEqual(
    counts.map(({ inserted }) => inserted),
    [0, 0],
  )
  await assertRows('SELECT code, above_id FROM records.shelf ORDER BY id', [
    { code: 'B-1', above_id: null },
    { code: '\u00C4-1', above_id: 1 },
  ])
  await assertRows('SELECT label, above_id FROM records.drawer ORDER BY id', [
    { label: null, above_id: 2 },
    { label: '\u00C4-1', above_id: 1 },
    { label: null, above_id: null },
  ])
})

test('an update keeps the fields that a seed does not name', async () => {
  const seeds = { '1-supplier.json': [acme, { ...acme, code: 'BETA', rating: 'good' }] }
  await seeded.load(seeds)
  await seeded.pool.query(`UPDATE records.supplier SET rating = 'bad', vat = code`)
  await seeded.update(seeds)
  await assertRows('SELECT code, rating, vat, _version FROM records.supplier ORDER BY id', [
    { code: 'ACME', rating: 'bad', vat: 'ACME', _version: 1 },
    { code: 'BETA', rating: 'good', vat: 'BETA', _version: 2 },
  ])
})

test('a new record gets defaults for absent values, not for null or empty texts', async () => {
  await seeded.load({
    '1-supplier.csv': 'code,name,vat\nA,Acme,\nB,Beta,""\n',
    '2-order.json': [
      { number: 1, supplier_id: 1, total: null },
      { number: 2, supplier_id: 1 },
    ],
  })
  await assertRows('SELECT vat, rating FROM records.supplier ORDER BY id', [
    { vat: null, rating: 'good' },
    { vat: '', rating: 'good' },
  ])
  await assertRows('SELECT total FROM records."order" ORDER BY id', [
    { total: null },
    { total: '0.00' },
  ])
})

test('CSV texts become values of their field types, with times in the given time zone', async () => {
  const header = 'number,supplier.code,notes,serial,total,is_urgent,needed_by,placed_at,extra'
  const cells =
    '7,ACME,"a ""b""\r\nc",9223372036854775807,12.5,TRUE,2026-02-28,2026-07-01 10:00:00,"{""a"":null}"'
  const seeds = { '1-supplier.json': [acme], '2-order.csv': `\uFEFF${header}\r\n${cells}\r\n` }
  await seeded.load(seeds, 'Europe/Zagreb')
  await assertRows(
    'SELECT number, notes, serial::text, total, is_urgent, needed_by, placed_at, extra FROM records."order"',
    [
      {
        number: 7,
        notes: 'a "b"\r\nc',
        serial: '9223372036854775807',
        total: '12.50',
        is_urgent: true,
        needed_by: '2026-02-28',
        placed_at: '2026-07-01 08:00:00+00',
        extra: '{"a":null}',
      },
    ],
  )
})

test('a new seed may have the unique value that an update removes from another record', async () => {
  await seeded.load({ '1-user.json': [user('anna')] })
  const moved = { ...user('anna'), email: 'other@example.com', username: 'other@example.com' }
  const next = { ...user('anna'), identity_provider_user_id: 'next' }
  const files = await seeded.update({ '1-user.json': [moved, next] })
  assert.deepEqual(files.map(countsOf), [countsFor('1-user.json', 1, 1, 0)])
})

test('all rows are loaded when they exceed one statement', async () => {
  const suppliers = Array.from({ length: 6001 }, (_, index) => `S${index},Supplier ${index}`)
  const orders = Array.from({ length: 12_001 }, (_, index) => `${index},S${index % 6001}`)
  const seeds = {
    '1-supplier.csv': `code,name\n${suppliers.join('\n')}\n`,
    '2-order.csv': `number,supplier.code\n${orders.join('\n')}\n`,
  }
  await seeded.load(seeds)
  await assertRows(
    'SELECT count(*) AS orders, count(DISTINCT supplier_id) AS suppliers FROM records."order"',
    [{ orders: 12_001, suppliers: 6001 }],
  )
  assert.deepEqual(await seeded.load(seeds), [
    countsFor('1-supplier.csv', 0, 0, 6001),
    countsFor('2-order.csv', 0, 0, 12_001),
  ])
})

test('ten concurrent loads create each record once', async () => {
  await seeded.write({ '1-supplier.json': [acme], '2-order.json': [{ number: 1, supplier_id: 1 }] })
  const runs = await Promise.all(Array.from({ length: 10 }, () => loadSeeds(seeded.given)))
  const inserted = runs.map(({ files }) => files.reduce((sum, file) => sum + file.inserted, 0))
  assert.deepEqual(inserted.toSorted(), [0, 0, 0, 0, 0, 0, 0, 0, 0, 2])
  assert.equal((await seeded.rows('SELECT FROM records."order"')).length, 1)
})

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
  await assertRows('SELECT DISTINCT supplier_id FROM records."order"', [{ supplier_id: 1 }])
})

test('records of one file may link to each other in any order, in cycles and to themselves', async () => {
  const seeds = {
    '1-supplier.json': [
      { ...acme, code: 'A', parent: { code: 'B' } },
      { ...acme, code: 'B', parent: { code: 'A' } },
      { ...acme, code: 'C', parent: { code: 'C' } },
    ],
  }
  // One of them is there already.
  await seeded.load({ '1-supplier.json': [{ ...acme, code: 'A' }] })
  await seeded.update(seeds)
  await assertRows(
    'SELECT s.code, p.code AS parent FROM records.supplier s JOIN records.supplier p ON p.id = s.parent_id ORDER BY 1',
    [
      { code: 'A', parent: 'B' },
      { code: 'B', parent: 'A' },
      { code: 'C', parent: 'C' },
    ],
  )
  assert.deepEqual(await seeded.load(seeds), [countsFor('1-supplier.json', 0, 0, 3)])
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
  await assertRows(
    'SELECT u.email, r.key FROM records.user_group_member m JOIN records."user" u ON u.id = m.user_id JOIN records.security_role r ON r.id = u.security_role_id ORDER BY 1',
    [
      { email: 'anna@example.com', key: 'buyer' },
      { email: 'boris@example.com', key: 'buyer' },
    ],
  )
})

test('a user is known by the e-mail, in any case, whatever their subject is by now', async () => {
  const user = (email: string) => ({
    email,
    username: email,
    first_name: 'A',
    last_name: 'B',
    security_role: { key: 'administrator' },
  })
  const seeds = (email: string) => ({
    '1-user.json': [user(email)],
    '2-supplier.json': [{ code: 'A', name: 'A', _created_by: { email } }],
  })
  await seeded.load(seeds('Clara@Example.com'))
  const [row] = await seeded.rows(
    'SELECT email, identity_provider_user_id AS id FROM records."user"',
  )
  assert.deepEqual(row, { email: 'clara@example.com', id: 'clara@example.com' })
  await seeded.pool.query(`UPDATE records."user" SET identity_provider_user_id = 'pairwise'`)
  const [users] = await seeded.load(seeds('CLARA@example.com'))
  assert.deepEqual(users, countsFor('1-user.json', 0, 0, 1))
})

test('a project with seeds is unseeded until an entity has had a record, not counting users', async () => {
  const { pool, project } = seeded
  const load = () => loadSeeds(seeded.given)
  assert.equal(await isUnseeded(pool, project), false)
  assert.deepEqual(await load(), { files: [] })
  await seeded.write({ '1-user.json': [user('anna')], '2-supplier.json': [acme] })
  assert.equal(await isUnseeded(pool, project), true)
  await insertPerson(pool, 'admin', 'administrator')
  assert.equal(await isUnseeded(pool, project), true)
  // Of users alone, while the administrator is the only one.
  await seeded.write({ '1-user.json': [user('anna')] })
  assert.equal(await isUnseeded(pool, project), true)
  await load()
  assert.equal(await isUnseeded(pool, project), false)
  await seeded.write({ '1-user.json': [user('anna')], '2-supplier.json': [acme] })
  assert.equal(await isUnseeded(pool, project), true)
  await load()
  await pool.query('UPDATE records.supplier SET _is_deleted = true')
  assert.equal(await isUnseeded(pool, project), false)
})

test('files that seeds name become files of their records, and loading again makes none', async () => {
  const line = (offer: string, photos: string) =>
    `number,supplier.code,offer,photos\n1,ACME,${offer},${photos}\n`
  const files = {
    '1-supplier.json': [acme],
    'files/Ponuda.pdf': '%PDF-1.7 first',
    'files/later/Ponuda.pdf': '%PDF-1.7 second',
    'files/left.png': pngOf('left'),
    'files/right.png': pngOf('right'),
  }
  const seeds = {
    ...files,
    '2-order.csv': line('files/Ponuda.pdf', 'files/right.png;files/left.png'),
    '3-order.json': [
      { number: 2, supplier: { code: 'ACME' }, offer: null, photos: ['files/left.png'] },
    ],
  }
  const shown = () =>
    seeded.rows(
      `SELECT offer->0->>'bytes' AS bytes, jsonb_path_query_array(photos, '$[*].filename') AS photos,
        (SELECT count(*) FROM docket.file f WHERE f.entity_id = o.id) AS files
       FROM records."order" o ORDER BY number`,
    )
  await seeded.update(seeds, true)
  await assertRows('SELECT FROM docket.blob', [])
  const first = [
    { bytes: '14', photos: '["right.png", "left.png"]', files: 3 },
    { bytes: null, photos: '["left.png"]', files: 1 },
  ]
  for (const inserted of [1, 0]) {
    const [, ...orders] = await seeded.load(seeds)
    assert.deepEqual(
      orders,
      ['2-order.csv', '3-order.json'].map((file) => countsFor(file, inserted, 0, 1 - inserted)),
    )
    assert.deepEqual(await shown(), first)
  }
  for (const { sha256 } of await seeded.rows(
    `SELECT f.sha256 FROM docket.file f JOIN docket.blob b USING (sha256) WHERE b.state = 'stored' AND b.is_adopted`,
  ))
    assert.ok(await seeded.given.blobs.sizeOf(String(sha256)))
  // Another file of the same name is another one; the earlier one is put back, and stays what it was.
  const changed = { ...files, '2-order.csv': line('files/later/Ponuda.pdf', 'files/left.png') }
  for (const [written, bytes, photos] of [
    [changed, '15', '["left.png"]'],
    [seeds, '14', '["right.png", "left.png"]'],
  ] as const) {
    const [, one] = await seeded.update(written)
    assert.deepEqual(one?.updated[0]?.fields, ['offer', 'photos'])
    assert.deepEqual((await shown())[0], { bytes, photos, files: 4 })
  }
})

test('a file that others have changed since stays as they left it', async () => {
  const seeds = {
    '1-supplier.json': [acme],
    '2-order.json': [{ number: 1, supplier_id: 1, photos: ['files/a.png'] }],
    'files/a.png': pngOf(),
  }
  await seeded.load({ ...seeds, '2-order.json': [{ number: 1, supplier_id: 1 }] })
  const { pool } = seeded
  await insertPerson(pool, 'admin', 'administrator')
  await pool.query(
    `INSERT INTO docket.history (entity_key, entity_id, operation, changes, user_id) VALUES ('order', 1, 'change', '{}', 1)`,
  )
  const [, orders] = await seeded.update(seeds)
  assert.deepEqual(orders?.left, [{ id: 1, reason: 'changed by users' }])
  await assertRows('SELECT FROM docket.file', [])
})

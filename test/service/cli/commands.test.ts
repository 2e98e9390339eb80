/** Commands that change a database, or read one: what scripts and users get of them. */
import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { openSeededExample } from '../../support/a-seeded-example.ts'
import { opened } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'

let environment: Record<string, string>
const example = opened(() => openSeededExample())
before(async () => {
  environment = example.environment
})

test('with a host other than loopback the development issuer gives no token', async () => {
  const { code, err } = await callDocket(['token'], { ...environment, HOST: '0.0.0.0' })
  assert.equal(code, 1)
  assert.match(err, /docket api-key create/)
})

test('seed changes nothing the second time', async () => {
  const { code, out, err } = await callDocket(['seed'], environment)
  assert.equal(code, 0, err)
  assert.match(out, /purchase_order\.csv: 0 new, 0 changed, 2997 unchanged/)
  assert.equal(out.match(/: 0 new, 0 changed, \d+ unchanged$/gm)?.length, 13)
})

test('lines of each order of the example add up to its total; its creator and owner are users of the seeds', async () => {
  const { rows } = await example.database.pool.query(`
    SELECT count(*) AS orders, count(*) FILTER (WHERE o.total IS DISTINCT FROM l.sum) AS mismatches,
      count(*) FILTER (WHERE c.id IS NULL OR w.id IS NULL OR o._updated_by IS DISTINCT FROM o._created_by) AS strangers
    FROM records.purchase_order o
    LEFT JOIN (SELECT order_id, sum(amount) FROM records.purchase_order_line GROUP BY 1) l ON l.order_id = o.id
    LEFT JOIN records."user" c ON c.id = o._created_by LEFT JOIN records."user" w ON w.id = o._owned_by`)
  assert.deepEqual(rows, [{ orders: 3000, mismatches: 0, strangers: 0 }])
})

test('token prints one token to standard output, and rejects an unknown user', async () => {
  const { code, out } = await callDocket(['token', '--user', 'anna@example.com'], environment)
  assert.equal(code, 0)
  assert.match(out, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  const unknownUser = await callDocket(['token', '--user', 'nobody@example.com'], environment)
  assert.equal(unknownUser.code, 1)
  assert.match(unknownUser.err, /nobody@example\.com/)
  const unset = await callDocket(['token'], { ...environment, ADMIN_EMAIL: 'nobody@example.com' })
  assert.match(unset.err, /nobody@example\.com.* Name a user with --user, or set ADMIN_EMAIL/)
})

test('an API key is created, listed without its secret, and revoked once', async () => {
  const made = await callDocket(
    ['api-key', 'create', '--user', 'anna@example.com', '--name', 'till', '--until', '2999-12-31'],
    environment,
  )
  assert.equal(made.code, 0, made.err)
  assert.match(made.out, /^docket_[\w-]{43}\n$/)
  const { out } = await callDocket(['api-key', 'list'], environment)
  assert.match(out, /"name":"till"/)
  assert.ok(!out.includes(made.out.trim()))
  assert.equal((await callDocket(['api-key', 'revoke', '--id', '1'], environment)).code, 0)
  assert.equal((await callDocket(['api-key', 'revoke', '--id', '1'], environment)).code, 1)
})

test('anonymise shows what tells of a record with --plan, and replaces it once without', async () => {
  const planned = await callDocket(['anonymise', 'supplier', '1', '--plan'], environment)
  assert.equal(planned.code, 0, planned.err)
  assert.match(planned.out, /^Personal fields: contact_name, email, phone\n[\s\S]*^ {2}none$/m)
  const email = async () =>
    (await example.database.pool.query('SELECT email FROM records.supplier WHERE id = 1')).rows[0]
      .email
  assert.notEqual(await email(), 'anonymised-1@example.invalid')
  const done = await callDocket(['anonymise', 'supplier', '1'], environment)
  assert.equal(done.code, 0, done.err)
  assert.equal(await email(), 'anonymised-1@example.invalid')
  for (const [words, code, message] of [
    [['supplier', '1', '--user', 'anna@example.com'], 1, /permission "anonymise"/],
    [['supplier', '99999'], 1, /no supplier 99999/],
    [['supplier', 'one'], 2, /must be the number of a record/],
    [['country', '1'], 1, /No field of country is personal/],
    [['task', '1'], 1, /Tasks are written under their record/],
    [['supplyer', '1'], 1, /did you mean "supplier"/],
  ] as const) {
    const refused = await callDocket(['anonymise', ...words], environment)
    assert.equal(refused.code, code, refused.err)
    assert.match(refused.err, message)
  }
})

test('migrate plans nothing when the database is up to date, and shows what is kept before it removes it', async () => {
  const settled = await callDocket(['migrate', '--plan'], environment)
  assert.equal(settled.out, '')
  await rm(`${example.directory}/entities/goods_receipt.json`)
  const order = `${example.directory}/entities/purchase_order.json`
  const text = await readFile(order, 'utf8')
  await writeFile(order, text.replace(/,\s*\{ "key": "receipts"[^}]*\}/, ''))
  const settings = `${example.directory}/docket.json`
  const { menu: _menu, ...others } = JSON.parse(await readFile(settings, 'utf8'))
  await writeFile(settings, JSON.stringify(others))
  for (const folder of ['seed', 'translations'])
    await rm(`${example.directory}/${folder}`, { recursive: true })
  for (const role of ['approver', 'auditor', 'buyer', 'site_buyer']) {
    const file = `${example.directory}/roles/${role}.json`
    const value = JSON.parse(await readFile(file, 'utf8'))
    delete value.permissions.goods_receipt
    await writeFile(file, JSON.stringify(value))
  }
  const planned = await callDocket(['migrate', '--plan'], environment)
  assert.equal(planned.code, 0, planned.err)
  assert.match(planned.out, /is kept; "docket migrate --drop-kept" drops it\n-- DROP TABLE/)
  const migrated = await callDocket(['migrate'], environment)
  assert.equal(migrated.code, 0, migrated.err)
  assert.match(migrated.out, /^-- DROP TABLE "records"."goods_receipt";$/m)
  assert.match(migrated.err, /^0 statements applied\.$/m)
  const dropped = await callDocket(['migrate', '--drop-kept'], environment)
  assert.equal(dropped.code, 0, dropped.err)
  assert.equal((await callDocket(['migrate', '--plan'], environment)).out, '')
})

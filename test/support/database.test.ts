/** Databases for tests: new ones, templates, and leaked connections. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestDatabase, templateDatabase } from './database.ts'

test('every test gets its own database', async () => {
  const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()])
  await first.pool.query('CREATE TABLE only_here ()')
  const { rows } = await second.pool.query(`SELECT to_regclass('only_here') AS found`)
  assert.deepEqual(rows, [{ found: null }])
  await Promise.all([first.drop(), second.drop()])
})

test('a template is prepared once when several callers request it at the same time', async () => {
  let prepared = 0
  const ask = () =>
    templateDatabase('prepared_once', async ({ pool }) => {
      prepared++
      await pool.query('CREATE TABLE kept AS SELECT 7 AS number')
    })
  const [template] = await Promise.all([ask(), ask(), ask()])
  assert.equal(prepared, 1)
  const { pool, drop } = await createTestDatabase({ template })
  assert.deepEqual((await pool.query('SELECT number FROM kept')).rows, [{ number: 7 }])
  await drop()
})

test('a template is prepared again after its preparation failed', async () => {
  const failing = templateDatabase('prepared_again', () => Promise.reject(new Error('no luck')))
  await assert.rejects(failing, /no luck/)
  const template = await templateDatabase('prepared_again', async () => undefined)
  const { drop } = await createTestDatabase({ template })
  await drop()
})

test('a connection that was not released makes the drop fail', async () => {
  const { pool, drop } = await createTestDatabase()
  await pool.connect()
  await assert.rejects(drop(), /did not release every connection/)
})

/** Commands that read or plan change no tables: they use the existing ones, or say what must be done first. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { opened } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import { writeProject } from '../../support/service.ts'

const noteWith = (field: object) => ({
  key: 'note',
  fields: [field, { key: 'number', type: 'string', series: { format: 'N-{000}' } }],
  retention: [{ after: '2 days', operation: 'remove' }],
})
const phone = { key: 'phone', type: 'string', unique: true }
const telephone = { key: 'telephone', was: 'phone', type: 'string', unique: true }

const database = opened(() => createTestDatabase())
let directory: string
before(async () => {
  directory = await writeProject({
    'entities/note.json': noteWith(phone),
    'roles/clerk.json': { key: 'clerk', permissions: {} },
    'seed/01-note.json': [{ phone: '1', number: 'N-3' }],
    'seed/02-user.json': [
      {
        first_name: 'Anna',
        last_name: 'Example',
        username: 'anna@example.com',
        email: 'anna@example.com',
        identity_provider_user_id: 'anna',
        security_role: { key: 'clerk' },
      },
      { identity_provider_user_id: 'admin@example.com', job_title: 'Everything' },
    ],
  })
})

const docket = (args: readonly string[]) =>
  callDocket(args, { DATABASE_URL: database.connectionString, PROJECT: directory })
const rows = async (text: string) => (await database.pool.query(text)).rows
const columns = () =>
  rows(`SELECT column_name AS name FROM information_schema.columns
    WHERE table_schema = 'records' AND table_name = 'note' AND column_name LIKE '%phone'`)

const ofOwnTables = [['token'], ['api-key', 'list'], ['deliveries'], ['files']]
const ofRecords = [
  ['export', 'note'],
  ['function', 'f', '--entity', 'note', '--id', '1'],
  ['document', 'd', '--id', '1'],
  ['seed', '--plan'],
  ['retention'],
  ['series'],
]

/** Asserts that it is rejected with a sentence that contains these words. */
const assertRefused = async (args: readonly string[], lacking: string) => {
  const { code, out, err } = await docket(args)
  assert.deepEqual([code, out], [1, ''], err)
  assert.match(
    err,
    /^The database does not match the definitions, and "docket [a-z -]+" changes no tables:/m,
  )
  assert.ok(err.includes(`\n  ${lacking}`), err)
  assert.match(err, /run "docket migrate" or "docket start" first\.$/m)
}

test('a given empty database is left unchanged', async () => {
  for (const args of [...ofOwnTables, ...ofRecords]) await assertRefused(args, '0001-')
  assert.deepEqual(
    await rows(`SELECT nspname FROM pg_namespace WHERE nspname IN ('docket', 'records')`),
    [],
  )
})

test('a plan of seeds includes the roles and the administrator that a load creates, and stores nothing', async () => {
  assert.equal((await docket(['migrate'])).code, 0)
  const { code, out, err } = await docket(['seed', '--update', '--plan'])
  assert.equal(code, 0, err)
  assert.match(out, /^seed\/01-note\.json: 1 new, 0 changed, 0 unchanged\n/)
  assert.match(out, /^seed\/02-user\.json: 1 new, 1 changed, 0 unchanged\n/m)
  const left = `SELECT id FROM records."user" UNION ALL SELECT id FROM records.security_role`
  assert.deepEqual(await rows(left), [])
  assert.equal((await docket(['seed'])).code, 0)
})

test('the plan of retention says what is due', async () => {
  await rows(`UPDATE records.note SET _created_at = now() - interval '3 days'`)
  const out = 'note  remove 2 days after _created_at  1 due\n'
  assert.deepEqual(await docket(['retention']), { code: 0, out, err: '' })
})

test('the counter of a series is after the numbers of seeds, and says what is missing', async () => {
  const series = async (...args: string[]) => {
    const { code, out, err } = await docket(['series', ...args])
    return [code, out || err]
  }
  assert.deepEqual(await series(), [0, 'note.number  N-004 is next\n'])
  assert.deepEqual(await series('--check'), [0, 'Nothing is missing.\n'])
  assert.deepEqual(await series('--raise', 'note.number=N-007'), [
    0,
    'note.number  N-008 is next\n',
  ])
  assert.deepEqual(await series('--raise', 'note.number=N-001'), [
    0,
    'note.number  N-008 is next\n',
  ])
  assert.deepEqual(await series('--check'), [1, 'note.number: N-004 to N-007 are missing\n'])
  await rows(`UPDATE docket.series SET next = 5`)
  assert.deepEqual(await series('--check'), [1, 'note.number: N-004 is missing\n'])
  await rows(`UPDATE docket.series SET next = 3`)
  assert.deepEqual(await series('--check'), [
    1,
    'note.number: N-003 would be given again; run docket series --raise note.number=N-003\n',
  ])
  // Never below what records have.
  assert.deepEqual(await series('--raise', 'note.number=N-001'), [
    0,
    'note.number  N-004 is next\n',
  ])
  await rows('DELETE FROM docket.series')
  assert.deepEqual(await series(), [0, 'note.number  no number yet\n'])
  const both = await series('--check', '--raise', 'note.number=N-001')
  assert.deepEqual(both[0], 2, String(both[1]))
  const [code, message] = await series('--raise', 'note.numbr=N-1')
  assert.equal(code, 2)
  assert.match(String(message), /"note.numbr" is no series; did you mean "note.number"\?/)
  const [other, form] = await series('--raise', 'note.number=M-1')
  assert.equal(other, 2)
  assert.match(String(form), /"M-1" has not the form of note.number, which is N-\{000\}\./)
})

test('a rename waits for a command that may change tables; commands that need no records run', async () => {
  await writeFile(join(directory, 'entities/note.json'), JSON.stringify(noteWith(telephone)))
  await writeFile(
    join(directory, 'seed/01-note.json'),
    JSON.stringify([{ telephone: '1', number: 'N-3' }]),
  )
  for (const args of ofOwnTables) {
    const { code, err } = await docket(args)
    assert.equal(code, 0, err)
  }
  for (const args of ofRecords) await assertRefused(args, 'note.telephone was phone')
  assert.deepEqual(await columns(), [{ name: 'phone' }])
  const planned = await docket(['migrate', '--plan'])
  assert.match(planned.out, /^-- note\.telephone was phone$/m)
  assert.equal((await docket(['seed'])).code, 0)
  assert.deepEqual(await columns(), [{ name: 'telephone' }])
  const exported = await docket(['export', 'note', '--bom'])
  assert.equal(exported.code, 0, exported.err)
  assert.equal(exported.out.startsWith('\ufeff'), true)
})

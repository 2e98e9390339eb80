/** Settings of the console: one JSON object per user, changed name by name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addOwnUser, sharedProject } from '../../support/a-project.ts'

const path = '/console/-/settings.json'

const service = await sharedProject()
const other = await addOwnUser(service, 'nobody')
const admin = await addOwnUser(service, 'administrator')

const change = (body: unknown, as = admin) => service.ask('PATCH', path, { body, as })
const read = async (as = admin) => (await service.ask('GET', path, { as })).json()

test('each user has their own settings of the console, empty at first', async () => {
  assert.deepEqual(await read(other), {})
  await change({ theme: 'dark' })
  assert.deepEqual(await read(other), {})
})

test('a change sets the names that it has, null removes one, and all others stay', async () => {
  await change({ a: 1, 'widths:order': { number: 120, of: [null, '"'] } }, other)
  const answer = await change({ a: null, b: [true] }, other)
  const expected = { b: [true], 'widths:order': { number: 120, of: [null, '"'] } }
  assert.deepEqual(answer.json(), expected)
  assert.deepEqual(await read(other), expected)
})

test('changes at the same time do not undo each other', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `tab.${at}`)
  await Promise.all(names.map((name) => change({ [name]: name }, other)))
  const all = await read(other)
  assert.deepEqual(
    names.filter((name) => all[name] !== name),
    [],
  )
})

test('all together have a limit, and a change beyond it changes nothing', async () => {
  const half = 'x'.repeat(40_000)
  assert.equal((await change({ large: half })).status, 200)
  assert.match((await change({ larger: half })).json(400).errors[0].message, /at most 65536 bytes/)
  assert.equal('larger' in (await read()), false)
  assert.equal((await change({ large: null })).status, 200)
  assert.equal((await change({ larger: 'x'.repeat(70_000) })).status, 400)
})

test('what cannot be stored is refused with its place', async () => {
  const deep = JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`)
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`n${at}`, at]))
  for (const [body, place] of [
    [[], ''],
    [{ 'not a name': 1 }, 'not a name'],
    [{ nul: '\u0000' }, 'nul'],
    [{ deep }, 'deep'],
    [many, ''],
  ] as const) {
    assert.equal((await change(body)).json(400).errors[0].path, place)
  }
})

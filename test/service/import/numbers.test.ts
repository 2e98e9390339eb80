/** Numbers of a series that a file has: kept, refused, and followed by the next ones. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { done, faultsOf, shortly, startImporting } from './an-import-project.ts'

const { imported, ended, rowsOf, ask } = await startImporting()

const recordsOf = (entity: string) =>
  rowsOf(`SELECT number, topic, owner_id FROM records.${entity} ORDER BY topic`)
const next = async (entity: string) =>
  (await ask('POST', `/${entity}`, { body: {} })).json(201).number
const topics = Array.from({ length: 12 }, (_, at) => `a${at + 10}`)

for (const entity of ['receipt', 'ticket'])
  test(`numbers are those that a ${entity} had in another system; rows without one take the next, in their order, and the next record, too`, async () => {
    assert.equal((await imported(entity, ['topic', ...topics])).created, 12)
    const rows = ['number,topic', ',b', 'N-031,c', 'N-7,d', 'OLD/4,e', ',f']
    assert.deepEqual(shortly(await imported(entity, rows)), { ...done, created: 5 })
    const taken = topics.map((topic, at) => [`N-0${String(at + 1).padStart(2, '0')}`, topic, 1])
    const all = [
      ...taken,
      ...[
        ['N-032', 'b', 1],
        ['N-031', 'c', 1],
        ['N-7', 'd', 1],
        ['OLD/4', 'e', 1],
        ['N-033', 'f', 1],
      ],
    ]
    assert.deepEqual(await recordsOf(entity), all)
    assert.equal(await next(entity), 'N-034')
    const [[id]] = (await rowsOf(`SELECT id FROM records.${entity} WHERE topic = 'c'`)) as [
      [number],
    ]
    const [entry] = (await ask('GET', `/${entity}/${id}/history`)).json(200).data
    assert.deepEqual(entry.changes.number, { after: 'N-031' })
  })

test('numbers find records, which keep them; a record that is not there gets the number', async () => {
  const rows = ['number,topic', 'N-031,c2', 'N-050,g']
  const match = { match: 'number', mode: 'insertOrUpdate' }
  assert.deepEqual(shortly(await imported('receipt', rows, match)), {
    ...done,
    created: 1,
    changed: 1,
  })
  assert.equal(await next('receipt'), 'N-051')
  const byId = `SELECT id FROM records.receipt WHERE topic = 'g'`
  const [[id]] = (await rowsOf(byId)) as [[number]]
  const other = ['id,number,topic', `${id},N-090,h`]
  const changed = await imported('receipt', other, { mode: 'update', match: 'id' })
  assert.match(changed.notes.join(), /not imported: "number"/)
  assert.deepEqual(await rowsOf(`SELECT number FROM records.receipt WHERE topic = 'h'`), [
    ['N-050'],
  ])
  assert.equal(await next('receipt'), 'N-052')
})

test('numbers are refused where a record has them, also a removed one, and where none is left after them', async () => {
  const { id } = (await ask('POST', '/receipt', { body: {} })).json(201)
  await ask('DELETE', `/receipt/${id}`)
  const given = ['N-031', 'N-053', 'N-060', 'N-060', '""', `N-${'9'.repeat(18)}`]
  const rows = ['number,topic', ...given.map((number) => `${number},x`)]
  const run = await imported('receipt', rows)
  assert.deepEqual(faultsOf(run), [
    '2 number: another receipt, maybe a removed one, has the same value; it must be unique',
    '3 number: another receipt, maybe a removed one, has the same value; it must be unique',
    '5 number: number must be unique, and row 4 of the file has the same',
    '6 number: is required and must not be empty',
    '7 number: is too large: its number is at most 999999999999999, so that numbers are left for new records',
  ])
  assert.equal(await next('receipt'), 'N-054')
})

test('a number of an imported record may be longer than its digits', async () => {
  const goOn = (at: number) =>
    rowsOf(`UPDATE docket.series SET next = ${at} WHERE entity_key = 'receipt'`)
  await goOn(1000)
  await imported('receipt', ['topic', 'long'])
  const numbers = await rowsOf(`SELECT number FROM records.receipt WHERE topic = 'long'`)
  assert.deepEqual(numbers, [['N-1000']])
  await goOn(55)
})

test('numbers are given by those alone who may import what only the service writes', async () => {
  const run = await imported('receipt', ['number,topic', 'N-070,i'], {}, 'clerk')
  assert.match(run.notes.join(), /not imported: "number"/)
  assert.deepEqual(await rowsOf(`SELECT number FROM records.receipt WHERE topic = 'i'`), [
    ['N-055'],
  ])
  const body = 'number,topic\nN-055,j'
  const sent = { body, headers: { 'Content-Type': 'text/csv' }, as: 'clerk@example.com' }
  const path = '/receipt/import?match=number&mode='
  const { errors } = (await ask('POST', `${path}insertOrUpdate`, sent)).json(422)
  assert.match(errors[0].message, /"number" needs the permission "import": "history" on "receipt"/)
  ;(await ask('POST', `${path}update`, sent)).json(202)
})

test('numbers of an action stay empty until it is taken, which keeps one that was given', async () => {
  await imported('ticket', ['topic,second', 'k,8/2', 'l,'])
  const closed: unknown[] = []
  for (const [id] of await rowsOf(
    `SELECT id FROM records.ticket WHERE topic IN ('k', 'l') ORDER BY topic`,
  ))
    closed.push(
      (await ask('POST', `/ticket/${id}/proceedToStep`, { body: { action: 'close' } })).json(200)
        .second,
    )
  assert.deepEqual(closed, ['8/2', '9/2'])
})

for (const entity of ['receipt', 'ticket'])
  test(`a file with numbers of a ${entity} is imported again after an undo, which gives back the numbers`, async () => {
    const rows = ['number,topic', 'OLD/90,undone', 'N-901,undone']
    const before = await imported(entity, rows)
    await ask('POST', `/api/imports/${before.id}/undo`)
    assert.equal((await ended(before.id)).state, 'undone')
    assert.deepEqual(shortly(await imported(entity, rows)), { ...done, created: 2 })
    const records = await rowsOf(
      `SELECT replace(number, 'undone-' || id, 'undone'), _is_deleted
       FROM records.${entity} WHERE topic = 'undone' ORDER BY id`,
    )
    const gone = ['undone', true]
    assert.deepEqual(records, [gone, gone, ['OLD/90', false], ['N-901', false]])
    const numbers = await rowsOf(
      `SELECT h.operation, h.changes -> 'number' ->> 'before'
       FROM docket.history h JOIN records.${entity} t ON h.entity_key = $1 AND h.entity_id = t.id
       WHERE t.topic = 'undone' AND t._is_deleted AND h.operation <> 'create' ORDER BY t.id, h.id`,
      [entity],
    )
    assert.deepEqual(numbers, [
      ['remove', null],
      ['change', 'OLD/90'],
      ['remove', null],
      ['change', 'N-901'],
    ])
  })

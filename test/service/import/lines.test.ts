/** Files with several rows for one record: the record with its first line, then its further lines. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { done, faultsOf, rulesOf, shortly, startImporting } from './an-import-project.ts'

const { imported, made, ended, rowsOf, ask, upload } = await startImporting()

const heads = 'code,name,orders.number,orders.total,orders.ordered_on'

/** Customers of a beginning of their code with the orders that were imported with them. */
const written = (like: string) =>
  rowsOf(
    `SELECT c.code, c.name, c.sum, o.number, o.total, o.urgency
     FROM records.customer c LEFT JOIN records."order" o ON o.customer_id = c.id AND NOT o._is_deleted
     WHERE c.code LIKE $1 AND NOT c._is_deleted ORDER BY c.code, o.number`,
    [like],
  )

test('rows become records with their lines: those that repeat the record, and those that leave its cells empty', async () => {
  const run = await imported('customer', [
    heads,
    'L-1,One,L-11,10.00,2026-01-31',
    'L-1,One,L-12,2.50,',
    'L-2,Two,,,',
    'L-3,Three,L-31,1,',
    ',,L-32,2,',
    ',,L-33,3,',
  ])
  assert.deepEqual([shortly(run), run.rows], [{ ...done, created: 3 }, 6])
  assert.deepEqual(await written('L-%'), [
    ['L-1', 'One', '12.50', 'L-11', '10.00', 'low'],
    ['L-1', 'One', '12.50', 'L-12', '2.50', 'low'],
    ['L-2', 'Two', '0.00', null, null, null],
    ['L-3', 'Three', '6.00', 'L-31', '1.00', 'low'],
    ['L-3', 'Three', '6.00', 'L-32', '2.00', 'low'],
    ['L-3', 'Three', '6.00', 'L-33', '3.00', 'low'],
  ])
})

test('a record is written with all its lines or not at all, and every fault of every line is told', async () => {
  await made('order', { number: 'M-0' })
  const rows = [
    heads,
    'M-1,One,M-11,1,',
    'M-1,One,M-12,-1,soon',
    'M-1,One,M-13,3,',
    'M-2,Two,M-21,1,',
    'M-3,,M-31,1,',
    ',,M-0,2,',
    'M-4,Four,,4,',
    'M-5,Five,M-51,7000000,',
    'M-6,Six,M-21,6,',
    'M-1,Other,M-14,1,',
  ]
  const run = await imported('customer', rows)
  assert.deepEqual([run.state, run.faulty, run.created], ['ready', 9, 1])
  assert.deepEqual(rulesOf(run), [
    '2 - sameRecord 3',
    '3 orders.total refused -1',
    '3 orders.ordered_on malformed',
    '4 - sameRecord 3',
    '6 name required',
    '7 orders.number unique',
    '8 orders.number required',
    '9 orders.total -',
    '10 orders.number repeated 5',
    '11 code repeated 2',
  ])
  const file = (await ask('GET', `/api/imports/${run.id}/faults`)).text.split('\r\n')
  assert.deepEqual(
    file.slice(1, 4).map((line) => line.split(',').slice(0, 3).join()),
    ['M-1,One,M-11', 'M-1,One,M-12', 'M-1,One,M-13'],
  )
  const corrections = [
    { row: 3, column: 'orders.total', text: '1' },
    { row: 3, column: 'orders.ordered_on', text: '2026-01-31' },
    { row: 2, column: 'name', text: 'First' },
    { row: 6, column: 'name', text: 'Three' },
    { row: 7, column: 'orders.number', text: 'M-32' },
  ]
  await ask('PATCH', `/api/imports/${run.id}/rows`, { body: { corrections } })
  const checked = await ended(run.id)
  assert.deepEqual([checked.state, checked.faulty, checked.created], ['ready', 4, 3])
  await ask('POST', `/api/imports/${run.id}/start?allOrNothing=false`)
  assert.deepEqual(shortly(await ended(run.id)), { ...done, created: 3, faulty: 4 })
  assert.deepEqual(
    (await written('M-%')).map(([code, name, sum, number]) => [code, name, sum, number]),
    [
      ['M-1', 'First', '5.00', 'M-11'],
      ['M-1', 'First', '5.00', 'M-12'],
      ['M-1', 'First', '5.00', 'M-13'],
      ['M-2', 'Two', '1.00', 'M-21'],
      ['M-3', 'Three', '3.00', 'M-31'],
      ['M-3', 'Three', '3.00', 'M-32'],
    ],
  )
})

test('rows that repeat a record which nothing identifies are faults, for they may be of another one that is alike', async () => {
  const run = await imported('customer', [
    'name,orders.number',
    'Same,N-11',
    'Same,N-12',
    ',N-13',
    'Other,N-21',
  ])
  assert.deepEqual(faultsOf(run), [
    '3 -: has the same cells as row 2, and nothing says whether it is the same record: add a column that identifies the record, or leave these cells empty in rows with further lines of it',
    '4 -: belongs to the same record as row 3 of the file, which has a fault',
  ])
})

test('lines are written as their user may write them', async () => {
  const asClerk = async (rows: readonly string[]) => imported('customer', rows, {}, 'clerk')
  const refused = await asClerk(['code,name,orders.number,orders.total', 'O-1,One,O-11,500'])
  assert.match(faultsOf(refused).join('\n'), /^2 -: .* Ask your manager\.$/)
  const hidden = await ask('POST', '/customer/import', {
    body: 'code,name,orders.secret\r\nO-2,Two,x',
    headers: { 'Content-Type': 'text/csv' },
    as: 'clerk@example.com',
  })
  assert.equal(hidden.status, 422)
  assert.match(hidden.text, /is not a column of customer/)
  const run = await asClerk(['code,name,orders.number,orders.total', 'O-3,Three,O-31,50'])
  assert.deepEqual(shortly(run), { ...done, created: 1 })
})

test('only new records are imported with lines', async () => {
  const query = { mode: 'insertOrUpdate', match: 'code' }
  const path = `/customer/import?${new URLSearchParams(query)}`
  const body = `${heads}\r\nP-1,One,P-11,1,`
  const { status, text } = await ask('POST', path, {
    body,
    headers: { 'Content-Type': 'text/csv' },
  })
  assert.equal(status, 422)
  assert.match(text, /"orders\.number".*belongs to lines, which are imported only with new records/)
})

test('an undo removes records with their lines, unless one of these was changed since', async () => {
  const run = await imported('customer', [
    heads,
    'Q-1,One,Q-11,1,',
    ',,Q-12,2,',
    'Q-2,Two,Q-21,1,',
    'Q-3,Three,,,',
  ])
  const [[id] = []] = await rowsOf(`SELECT id FROM records."order" WHERE number = 'Q-21'`)
  await ask('PATCH', `/order/${id}`, { body: { note: 'seen' } })
  const plan = (await ask('GET', `/api/imports/${run.id}/undo`)).json(200)
  assert.deepEqual([plan.removed, plan.kept], [2, 1])
  await ask('POST', `/api/imports/${run.id}/undo`)
  assert.equal((await ended(run.id)).state, 'undone')
  assert.deepEqual(await written('Q-%'), [['Q-2', 'Two', '1.00', 'Q-21', '1.00', 'low']])
  const left = await rowsOf(
    `SELECT number FROM records."order" WHERE number LIKE 'Q-%' AND NOT _is_deleted`,
  )
  assert.deepEqual(left, [['Q-21']])
  const [record] = (await ask('GET', `/api/imports/${run.id}/undo`)).json(200).records
  assert.equal(record.reason, 'Records that were imported with it were changed since.')
})

test('a run with lines goes on in batches, each record once', async () => {
  const count = 250
  const rows = Array.from({ length: count }, (_, at) => [
    `R-${at},Customer ${at},R-${at}-1,1,`,
    `,,R-${at}-2,2,`,
  ]).flat()
  const { id } = await upload('customer', [heads, ...rows])
  assert.deepEqual(shortly(await ended(id)), { ...done, created: count })
  assert.deepEqual(
    await rowsOf(
      `SELECT count(DISTINCT c.id)::integer, count(*)::integer, sum(o.total)::text
       FROM records.customer c JOIN records."order" o ON o.customer_id = c.id WHERE c.code LIKE 'R-%'`,
    ),
    [[count, 2 * count, `${3 * count}.00`]],
  )
})

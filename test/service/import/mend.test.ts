/** Looking at a file before it is imported, and correcting the cells that have faults. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImportLook } from '../../../src/import/look-endpoint.ts'
import type { ImportFaultyRows } from '../../../src/import/mend-endpoints.ts'
import { startImporting } from './an-import-project.ts'

const { imported, made, ended, rowsOf, ask } = await startImporting()

type FaultyRow = ImportFaultyRows['data'][number]

const csv = { 'Content-Type': 'text/csv' }
const look = async (entity: string, rows: readonly string[], query = {}, as?: string) =>
  ask('POST', `/${entity}/import/look?${new URLSearchParams(query)}`, {
    body: rows.join('\r\n'),
    headers: csv,
    ...(as && { as: `${as}@example.com` }),
  })

const german = [
  'Nummer;customer.code;total;ordered_on',
  'L-1;L1;1.234,50;31.01.2026',
  'L-2;L9;abc;01.02.2026',
]

test('a look says what the file is, what each column is for, and how its first rows will be', async () => {
  const found = (await look('order', german)).json(200)
  assert.deepEqual([found.format, found.encoding, found.separator], ['csv', 'utf-8', 'semicolon'])
  const [number, customer, total, day] = found.columns
  assert.equal(number.path, null)
  assert.match(number.issue, /Nummer|names no|is no/)
  assert.deepEqual([customer.path, customer.samples], ['customer.code', ['L1', 'L9']])
  assert.deepEqual([total.path, total.hasDecimals, total.decimal], ['total', true, 'comma'])
  assert.deepEqual([day.path, day.hasDates, day.dates], ['ordered_on', true, 'DMY'])
  assert.deepEqual(found.rows[0].cells, [
    { value: 'L1', fault: null },
    { value: '1234.50', fault: null },
    { value: '2026-01-31', fault: null },
  ])
  assert.equal(found.rows[1].cells[1].value, 'abc')
  assert.match(found.rows[1].cells[1].fault, /must be a number/)
  assert.ok(found.targets.includes('number') && found.targets.includes('customer.code'))
  assert.ok(!found.targets.includes('doubled'), 'The service calculates it.')
  assert.deepEqual(found.matches, [['number'], ['id']])
  const saved = {
    key: 'old_orders',
    mode: 'insertOrUpdate',
    match: ['number'],
    emptyCells: 'clear',
  }
  const name = 'Orders of the old system'
  assert.deepEqual(found.imports, [{ ...saved, name, heads: 6, found: 0 }])
  const headers = { ...csv, 'Accept-Language': 'de' }
  const body = 'Order No,Customer,Order No,,x\r\nB-1,D1,2,3,4'
  const old = await ask('POST', '/order/import/look?import=old_orders', { body, headers })
  const { columns, imports } = old.json(200)
  assert.deepEqual(imports, [{ ...saved, name: 'Bestellungen des Altsystems', heads: 6, found: 2 }])
  assert.deepEqual(
    columns.map(({ head, path, isUnknown }: ImportLook['columns'][number]) => [
      head,
      path,
      isUnknown,
    ]),
    [
      ['Order No', 'number', false],
      ['Customer', 'customer.code', false],
      ['Order No (2)', null, true],
      ['(D)', null, true],
      ['x', null, true],
    ],
  )
  const given = (await look('order', german, { columns: '{"Nummer":"number"}' })).json(200)
  assert.deepEqual([given.columns[0].path, given.columns[0].issue], ['number', null])
})

test('a look shows no field that a role hides, and is refused without the permission', async () => {
  const found = (await look('order', german, {}, 'clerk')).json(200)
  assert.ok(!found.targets.includes('secret') && !found.targets.includes('note'))
  assert.equal((await look('category', ['code', 'x'], {}, 'clerk')).status, 403)
})

test('faulty cells are corrected, alone or all that are alike, and the file is checked again as a whole', async () => {
  await made('customer', { code: 'MEND1', name: 'First' })
  const query = { dryRun: 'true', columns: '{"No":"number"}' }
  const rows = [
    'MEND-1;MEND1;1,50',
    'MEND-2;Mx;1,75',
    'MEND-3;Mx;x',
    'MEND-1;MEND1;2,25',
    ';MEND1;3,00',
  ]
  const run = await imported('order', ['No;customer.code;total', ...rows], query)
  assert.deepEqual([run.state, run.faulty, run.created], ['ready', 4, 1])
  const faulty = async () => (await ask('GET', `/api/imports/${run.id}/rows`)).json(200)
  const { heads, data } = await faulty()
  assert.deepEqual(heads, ['No', 'customer.code', 'total'])
  assert.deepEqual(
    data.map((one: FaultyRow) => [
      one.row,
      one.cells,
      one.faults.map(({ column, alike }) => [column, alike]),
    ]),
    [
      [3, ['MEND-2', 'Mx', '1,75'], [['customer.code', 2]]],
      [
        4,
        ['MEND-3', 'Mx', 'x'],
        [
          ['total', 1],
          ['customer.code', 2],
        ],
      ],
      [5, ['MEND-1', 'MEND1', '2,25'], [['No', 1]]],
      [6, [null, 'MEND1', '3,00'], [['No', 1]]],
    ],
  )
  const correct = (...corrections: readonly object[]) =>
    ask('PATCH', `/api/imports/${run.id}/rows`, { body: { corrections } })
  await correct(
    { row: 3, column: 'customer.code', text: 'MEND1', alike: true },
    { row: 4, column: 'total', text: '9,00' },
    { row: 4, column: 'total', text: '2,00' },
    { row: 5, column: 'No', text: 'MEND-4' },
    { row: 6, column: 'No', text: 'MEND-2' },
  )
  const again = await ended(run.id)
  assert.deepEqual([again.state, again.faulty, again.created], ['ready', 1, 4])
  const [left] = (await faulty()).data
  assert.deepEqual([left.row, left.cells[0]], [6, 'MEND-2'])
  await correct({ row: 6, column: 'No', text: 'MEND-5' })
  assert.equal((await ended(run.id)).faulty, 0)
  await ask('POST', `/api/imports/${run.id}/start`)
  assert.equal((await ended(run.id)).state, 'done')
  assert.deepEqual(
    await rowsOf(
      `SELECT o.number, c.code, o.total FROM records."order" o JOIN records.customer c ON c.id = o.customer_id
       WHERE o.number LIKE 'MEND-%' ORDER BY 1`,
    ),
    [
      ['MEND-1', 'MEND1', '1.50'],
      ['MEND-2', 'MEND1', '1.75'],
      ['MEND-3', 'MEND1', '2.00'],
      ['MEND-4', 'MEND1', '2.25'],
      ['MEND-5', 'MEND1', '3.00'],
    ],
  )
})

test('rows that were left are corrected afterwards, checked by themselves and imported; an undo takes all of the import', async () => {
  const rows = ['code,name,mail', 'REST1,First,', 'REST2,Second,x', 'REST1,Double,', ',Third,']
  const query = { mode: 'insertOrUpdate', match: 'code', allOrNothing: 'false' }
  const first = await imported('customer', rows, query)
  assert.deepEqual([first.state, first.created, first.faulty], ['done', 1, 3])
  const correct = (...corrections: readonly object[]) =>
    ask('PATCH', `/api/imports/${first.id}/rows`, { body: { corrections } })
  const written = await correct({ row: 2, column: 'name', text: 'Written' })
  assert.equal(written.json(404).code, 'import.unknown')
  const second = { row: 3, column: 'mail', text: 'two@example.com' }
  const answers = await Promise.all([correct(second), correct(second)])
  assert.ok(answers.some(({ status }) => status === 200))
  assert.ok(answers.every(({ status }) => status === 200 || status === 409))
  const checked = await ended(first.id)
  assert.deepEqual(
    [checked.state, checked.created, checked.changed, checked.faulty, checked.done_rows],
    ['ready', 1, 0, 2, 1],
  )
  assert.deepEqual(
    checked.faults.map(({ row, message }) => [row, message]),
    [
      [4, 'code must be unique, and row 2 of the file has the same'],
      [5, 'is empty: by it the record is found'],
    ],
  )
  await ask('POST', `/api/imports/${first.id}/start`)
  const done = await ended(first.id)
  assert.deepEqual([done.state, done.created, done.faulty, done.done_rows], ['done', 2, 2, 4])
  await correct(
    { row: 5, column: 'code', text: 'REST3' },
    { row: 4, column: 'code', text: 'REST4' },
  )
  const last = await ended(first.id)
  assert.deepEqual([last.state, last.created, last.changed, last.faulty], ['ready', 2, 0, 0])
  const names = () =>
    rowsOf(
      `SELECT code, name FROM records.customer WHERE code LIKE 'REST_' AND NOT _is_deleted ORDER BY 1`,
    )
  assert.deepEqual(await names(), [
    ['REST1', 'First'],
    ['REST2', 'Second'],
  ])
  const plan = (await ask('GET', `/api/imports/${first.id}/undo`)).json(200)
  assert.equal(plan.removed, 2)
  await ask('POST', `/api/imports/${first.id}/undo`)
  const undone = await ended(first.id)
  assert.deepEqual([undone.state, undone.created], ['undone', 2])
  assert.deepEqual(await names(), [])
  const events = (await ask('GET', '/api/audit?entity=customer&limit=50')).json(200).data as {
    kind: string
    user: { id: number }
    address: string | null
    detail: { import_id?: number; state?: string } | null
  }[]
  const own = events.filter(({ detail }) => detail?.import_id === first.id)
  assert.deepEqual(
    own.map(({ kind, detail }) => [kind, detail?.state]),
    [
      ['endImport', 'undone'],
      ['undoImport', undefined],
      ['endImport', 'done'],
      ['beginImport', undefined],
      ['endImport', 'done'],
      ['beginImport', undefined],
    ],
  )
  assert.ok(own.every(({ user }) => user.id === 1))
  assert.ok(own.filter(({ kind }) => kind !== 'endImport').every(({ address }) => address !== null))
})

test('an import is undone as a whole, without the records that were changed since', async () => {
  await made('customer', { code: 'UNDO1', name: 'First' }, { code: 'UNDO2', name: 'Second' })
  const query = { mode: 'insertOrUpdate', match: 'code' }
  const run = await imported(
    'customer',
    ['code,name', 'UNDO1,Changed', 'UNDO2,Changed', 'UNDO3,New', 'UNDO4,New'],
    query,
  )
  assert.deepEqual([run.state, run.created, run.changed], ['done', 2, 2])
  const [[second], [fourth]] = (await rowsOf(
    `SELECT id FROM records.customer WHERE code IN ('UNDO2', 'UNDO4') ORDER BY code`,
  )) as [[number], [number]]
  for (const id of [second, fourth])
    await ask('PATCH', `/customer/${id}`, { body: { name: 'By hand' } })
  const plan = async () => (await ask('GET', `/api/imports/${run.id}/undo`)).json(200)
  const kept = [second, fourth].map((id) => ({ id, reason: null }))
  assert.deepEqual(await plan(), { removed: 1, taken_back: 1, kept: 2, records: kept })
  assert.equal((await ask('POST', `/api/imports/${run.id}/undo`)).json(202).state, 'undoing')
  assert.equal((await ended(run.id)).state, 'undone')
  assert.deepEqual(
    await rowsOf(
      `SELECT code, name, _is_deleted FROM records.customer WHERE code LIKE 'UNDO_' ORDER BY 1`,
    ),
    [
      ['UNDO1', 'First', false],
      ['UNDO2', 'By hand', false],
      ['UNDO3', 'New', true],
      ['UNDO4', 'By hand', false],
    ],
  )
  const reason = 'It was changed since.'
  const left = [second, fourth].map((id) => ({ id, reason }))
  assert.deepEqual(await plan(), { removed: 0, taken_back: 0, kept: 2, records: left })
  const checked = await imported('customer', ['code,name', 'UNDO9,Last'], { dryRun: 'true' })
  assert.equal((await ask('POST', `/api/imports/${checked.id}/undo`)).status, 409)
})

test('an undo in sets asks what single writes ask: sums, tasks and links follow, and what is refused stays', async () => {
  await imported('customer', [
    'code,name',
    ...['SETP', 'SETQ', 'SETR'].map((code) => `${code},One`),
  ])
  await imported('order', ['number,customer.code,total', 'SM1,SETP,1', 'SM2,SETP,1', 'SM3,SETR,1'])
  const fresh = Array.from({ length: 20 }, (_, at) => `SN${at + 10},SETQ,1`)
  const moved = ['SM1,SETQ,2', 'SM2,SETQ,2', 'SM3,SETQ,2']
  const run = await imported('order', ['number,customer.code,total', ...moved, ...fresh], {
    mode: 'insertOrUpdate',
    match: 'number',
  })
  assert.deepEqual([run.created, run.changed], [20, 3])
  const idOf = async (table: string, column: string, value: string) =>
    Number(
      (await rowsOf(`SELECT id FROM records."${table}" WHERE ${column} = $1`, [value]))[0]?.[0],
    )
  const [withTask, touched] = [
    await idOf('order', 'number', 'SN10'),
    await idOf('order', 'number', 'SN15'),
  ]
  const task = { description: 'Call', due_date: '2030-02-01 09:00:00', assigne_id: 1 }
  assert.equal((await ask('POST', `/order/${withTask}/task`, { body: task })).status, 201)
  await ask('PATCH', `/order/${touched}`, { body: { note: 'By hand' } })
  await ask('DELETE', `/customer/${await idOf('customer', 'code', 'SETR')}`)
  await ask('POST', `/api/imports/${run.id}/undo`)
  assert.equal((await ended(run.id)).state, 'undone')
  const sums = () =>
    rowsOf(`SELECT code, sum FROM records.customer WHERE code IN ('SETP', 'SETQ') ORDER BY 1`)
  assert.deepEqual(await sums(), [
    ['SETP', '2.00'],
    ['SETQ', '3.00'],
  ])
  const { records, ...counts } = (await ask('GET', `/api/imports/${run.id}/undo`)).json(200)
  assert.deepEqual(counts, { removed: 0, taken_back: 0, kept: 2 })
  const reasons = new Map(
    records.map(({ id, reason }: { id: number; reason: string }) => [id, reason]),
  )
  assert.equal(reasons.get(touched), 'It was changed since.')
  assert.match(String(reasons.get(await idOf('order', 'number', 'SM3'))), /customer/)
  assert.deepEqual(
    await rowsOf(
      `SELECT h.operation, count(*)::integer, min(h.changes ->> '_is_deleted')
       FROM docket.history h JOIN records."order" o ON o.id = h.entity_id
       WHERE h.entity_key = 'order' AND o.number LIKE 'SN%' AND h.operation = 'remove' GROUP BY 1`,
    ),
    [['remove', 19, '{"before":false,"after":true}']],
  )
  const tasks = () =>
    rowsOf('SELECT _is_deleted FROM records.task WHERE entity_id = $1', [withTask])
  assert.deepEqual(await tasks(), [[true]])
  await ask('POST', `/order/${withTask}/restore`)
  assert.deepEqual(await tasks(), [[false]])
})

test('rows of megabytes come in smaller pages, and the file of faults has all of them', async () => {
  const note = 'n'.repeat(1_500_000)
  const rows = ['1', '2', '3'].map((n) => `LARGE-${n},${note},x`)
  const { id } = await imported('order', ['number,note,total', ...rows], { dryRun: 'true' })
  const pageFrom = async (after: number) =>
    (await ask('GET', `/api/imports/${id}/rows?after=${after}`)).json(200)
  const first = await pageFrom(0)
  const second = await pageFrom(first.next)
  assert.deepEqual([first.data.length, second.data.length, second.next], [2, 1, null])
  const { text } = await ask('GET', `/api/imports/${id}/faults`)
  assert.deepEqual(text.match(/LARGE-./g), ['LARGE-1', 'LARGE-2', 'LARGE-3'])
  const corrections = [{ row: 2, column: 'note', text: 'half of a character: \ud800' }]
  const path = `/api/imports/${id}/rows`
  assert.equal((await ask('PATCH', path, { body: { corrections } })).status, 200)
  assert.equal((await ended(id)).faulty, 3)
})

/** Importing files: what is written, what is refused and why, and what the caller may do. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { uploadFile } from '../../support/uploads.ts'
import { done, faultsOf, rulesOf, shortly, startImporting } from './an-import-project.ts'

const service = await startImporting()
const { imported, made, rowsOf, ask, ended, url, tokenOf } = service

const numbers = async (like: string) =>
  (
    await rowsOf(
      `SELECT number FROM records."order" WHERE number LIKE $1 AND NOT _is_deleted ORDER BY 1`,
      [like],
    )
  ).flat()

test('rows become records with their links, defaults, calculated fields, history and sums', async () => {
  await made('customer', { code: 'C1', name: 'First' }, { code: 'C2', name: 'Second' })
  const run = await imported('order', [
    'number,customer.code,total,urgency,ordered_on,note',
    'A-1,C1,10.50,high,2026-01-31,"two ""lines""\nof text"',
    'A-2,C1,4,,,',
    'A-3,,,,,""',
  ])
  assert.deepEqual(shortly(run), { ...done, created: 3 })
  assert.deepEqual(
    await rowsOf(
      `SELECT o.number, c.code, o.total, o.doubled, o.urgency, o.ordered_on::text, o.note, o._step, o._created_by, o._version
       FROM records."order" o LEFT JOIN records.customer c ON c.id = o.customer_id WHERE o.number LIKE 'A-%' ORDER BY 1`,
    ),
    [
      ['A-1', 'C1', '10.50', '21.00', 'high', '2026-01-31', 'two "lines"\nof text', 'open', 1, 1],
      ['A-2', 'C1', '4.00', '8.00', 'low', null, null, 'open', 1, 1],
      ['A-3', null, null, null, 'low', null, '', 'open', 1, 1],
    ],
  )
  const [[sum, customer] = []] = await rowsOf(
    `SELECT sum, id FROM records.customer WHERE code = 'C1'`,
  )
  assert.equal(sum, '14.50')
  const [[changes] = []] = await rowsOf(
    `SELECT h.changes::text FROM docket.history h JOIN records."order" o ON o.id = h.entity_id
     WHERE h.entity_key = 'order' AND o.number = 'A-2' AND h.operation = 'create'`,
  )
  assert.deepEqual(JSON.parse(String(changes)), {
    number: { after: 'A-2' },
    customer_id: { after: customer },
    total: { after: '4.00' },
    urgency: { after: 'low' },
    doubled: { after: '8.00' },
  })
})

test('ids of uploads become files of the records, once, and what they had is given back when the import is undone', async () => {
  const sent = (name: string) => uploadFile(service, name, name)
  const [a, b, c, d] = await Promise.all(['a.txt', 'b.txt', 'c.txt', 'd.txt'].map(sent))
  const claims = () =>
    rowsOf(
      `SELECT code, jsonb_path_query_array(papers, '$[*].filename')::text, scan->0->>'filename' FROM records.claim ORDER BY 1`,
    )
  const run = await imported('claim', ['code,papers,scan', `P-1,"${a}; ${b}",`, `P-2,,${c}`])
  assert.deepEqual(shortly(run), { ...done, created: 2 })
  const before = [
    ['P-1', '["a.txt", "b.txt"]', null],
    ['P-2', null, 'c.txt'],
  ]
  assert.deepEqual(await claims(), before)
  const rows = ['code,papers,scan', `P-3,${a},`, `P-4,x.txt,"${d};${d}"`]
  const faulty = await imported('claim', rows)
  assert.equal(faulty.state, 'ready')
  assert.match(
    faultsOf(faulty).join('\n'),
    /^2 papers: is no upload of yours that waits: .*\n3 papers: must have the id of an upload, .* at \[0\]\n3 scan: must be the id of an upload, /,
  )
  const update = { mode: 'update', match: 'code' }
  const changing = await imported('claim', ['code,papers', `P-1,${d}`], update)
  assert.deepEqual(shortly(changing), { ...done, changed: 1 })
  assert.deepEqual((await claims())[0], ['P-1', '["d.txt"]', null])
  await ask('POST', `/api/imports/${changing.id}/undo`)
  assert.equal((await ended(changing.id)).state, 'undone')
  assert.deepEqual(await claims(), before)
})

describe('faults', () => {
  test('all of them are told with row, column and reason, nothing of a small file is written, and a start without them writes the rest', async () => {
    await made('customer', { code: 'F1', name: 'Of faults' })
    await made('order', { number: 'F-0' })
    const run = await imported('order', [
      'number,customer.code,total,urgency',
      'F-1,F1,1,low',
      'F-1,F1,2,low',
      'F-0,F1,3,low',
      ',F1,4,low',
      'F-5,none,5,low',
      'F-6,F1,-6,urgent',
      'F-7,F1,7000000,low',
      'F-8,F1,8,high',
    ])
    assert.deepEqual([run.state, run.faulty, run.created], ['ready', 6, 2])
    assert.match(String(run.error), /6 rows have faults, so nothing is written/)
    assert.deepEqual(faultsOf(run), [
      '3 number: number must be unique, and row 2 of the file has the same',
      '4 number: another order has the same value; it must be unique',
      '5 number: is required',
      '6 customer.code: there is no customer with "none" as its code that you may read',
      '7 total: must be at least 0',
      ...faultsOf(run).filter((one) => one.startsWith('7 urgency')),
      '8 total: is too much',
    ])
    assert.deepEqual(rulesOf(run), [
      '3 number repeated 2',
      '4 number unique',
      '5 number required',
      '6 customer.code link',
      '7 total refused -6',
      '7 urgency malformed',
      '8 total -',
    ])
    assert.deepEqual(await numbers('F-%'), ['F-0'])
    const file = await ask('GET', `/api/imports/${run.id}/faults`)
    const [head, first] = file.text.split('\r\n')
    assert.equal(head, 'number,customer.code,total,urgency,Row,Faults')
    assert.equal(
      first,
      'F-1,F1,2,low,3,"""number"": number must be unique, and row 2 of the file has the same"',
    )
    assert.equal((await ask('POST', `/api/imports/${run.id}/start`)).status, 409)
    await ask('POST', `/api/imports/${run.id}/start?allOrNothing=false`)
    const written = await ended(run.id)
    assert.deepEqual(shortly(written), { ...done, created: 2, faulty: 6 })
    assert.deepEqual(await numbers('F-%'), ['F-0', 'F-1', 'F-8'])
    const corrected = await imported('order', [String(head), 'F-5,F1,5,low,6,it was none'])
    assert.deepEqual(shortly(corrected), { ...done, created: 1 })
  })

  test('the file of them has the separator of the file, so that its numbers are read in the same way or not at all', async () => {
    const rows = [
      'number;customer.code;total',
      'G-1;F1;1.234,56',
      'G-2;none;12.500',
      'G-3;none;1,5',
    ]
    const { id } = await imported('order', rows, { dryRun: 'true' })
    const { text } = await ask('GET', `/api/imports/${id}/faults`)
    const headers = { Authorization: `Bearer ${await tokenOf()}` }
    const sent = await fetch(`${url}/api/imports/${id}/faults`, { headers })
    // Without a byte order mark, spreadsheets misread letters.
    assert.deepEqual([...(await sent.bytes()).subarray(0, 3)], [0xef, 0xbb, 0xbf])
    assert.deepEqual(
      text.split('\r\n').map((line) => line.split(';').slice(0, 4).join(';')),
      ['number;customer.code;total;Row', 'G-2;none;12.500;3', 'G-3;none;1,5;4', ''],
    )
    const corrected = text.replaceAll('none', 'F1').split('\r\n')
    // By a comma between the cells, 12.500 alone would be 12 and a half.
    const again = corrected.filter((line) => !line.startsWith('G-3'))
    const unsure = await ask('POST', '/order/import?dryRun=true', {
      body: again.join('\r\n'),
      headers: { 'Content-Type': 'text/csv' },
    })
    assert.match(unsure.json(422).errors[0].message, /give the decimal mark of the file/)
    assert.deepEqual(shortly(await imported('order', corrected)), { ...done, created: 2 })
    assert.deepEqual(
      await rowsOf(
        `SELECT o.total::text FROM records."order" o WHERE o.number LIKE 'G-%' ORDER BY 1`,
      ),
      [['12500.00'], ['1.50']].toSorted(),
    )
  })

  test('what is unique together is named by its heads, also where a write finds it', async () => {
    const own = { name: 'Own', amount: 2 }
    await made('item', own, { ...own, amount: 3, code: 'OWN' })
    const run = await imported('item', ['Amount,name', '1,Twin', '1,Twin', '2,Own'])
    assert.deepEqual(rulesOf(run), [
      '3 Amount repeated name Amount 2',
      '4 Amount unique name Amount',
    ])
    const changed = await imported('item', ['code,Amount', 'OWN,2'], {
      mode: 'update',
      match: 'code',
    })
    assert.deepEqual(rulesOf(changed), ['2 Amount unique name Amount'])
  })

  test('a row is told all its faults at once, and what is corrected leaves the others', async () => {
    const rows = [
      'code,name,mail,category.code',
      'FOUR,First,,',
      'FOUR,,nobody,none',
      'FIVE,Fifth,,',
    ]
    const run = await imported('customer', rows, { dryRun: 'true' })
    assert.deepEqual([run.rows, run.faulty, run.created], [3, 1, 2])
    const [mail, ...others] = faultsOf(run).toSorted((one) => (one.includes('mail') ? -1 : 1))
    assert.match(String(mail), /^3 mail: must be an e-mail address/)
    const left = [
      '3 category.code: there is no category with "none" as its code that you may read',
      '3 code: code must be unique, and row 2 of the file has the same',
      '3 name: is required',
    ]
    assert.deepEqual(others, left)
    const file = await ask('GET', `/api/imports/${run.id}/faults`)
    for (const one of faultsOf(run))
      assert.ok(file.text.includes(one.slice(one.indexOf(': ') + 2).replaceAll('"', '""')))
    await ask('PATCH', `/api/imports/${run.id}/rows`, {
      body: { corrections: [{ row: 3, column: 'mail', text: 'somebody@example.com' }] },
    })
    const mended = await ended(run.id)
    assert.deepEqual([mended.faulty, mended.created, faultsOf(mended)], [1, 2, left])
  })

  test('a dry run writes nothing and says what would be done; its start does it', async () => {
    const run = await imported('order', ['number', 'D-1', 'D-2'], { dryRun: 'true' })
    assert.deepEqual(shortly(run), { ...done, state: 'ready', created: 2 })
    assert.deepEqual(await numbers('D-%'), [])
    assert.equal((await ask('POST', `/api/imports/${run.id}/start`)).status, 200)
    assert.deepEqual(shortly(await ended(run.id)), { ...done, created: 2 })
    assert.deepEqual(await numbers('D-%'), ['D-1', 'D-2'])
  })

  test('what is wrong with the file as a whole is the answer to its upload', async () => {
    const send = async (query: string, rows: string, as?: string) => {
      const sent = { body: rows, headers: { 'Content-Type': 'text/csv' }, ...(as && { as }) }
      const { status, text } = await ask('POST', `/order/import?${query}`, sent)
      const { code, errors = [], detail } = JSON.parse(text)
      return [status, code, errors[0]?.message ?? detail]
    }
    const wrong = [
      await send('', 'nmber\nX-1'),
      await send('', ''),
      await send('mode=update', 'number\nX-1'),
      await send('mode=update&match=total', 'number,total\nX-1,1'),
      await send('match=number', 'number\nX-1'),
      await send('columns=[]', 'number\nX-1'),
    ]
    assert.deepEqual(
      wrong.map(([status]) => status),
      [422, 400, 400, 400, 400, 400],
    )
    assert.deepEqual(wrong[1], [400, 'request.invalid', 'the file is empty'])
  })
})

describe('records that exist', () => {
  test('are changed, created or left as they are, by what is unique; empty cells keep, clear or give the default', async () => {
    await made(
      'order',
      { number: 'U-1', total: '1', urgency: 'high', note: 'one' },
      { number: 'U-2', total: '2', urgency: 'high', note: 'two' },
    )
    const rows = ['number,total,note,urgency', 'U-1,1,one,high', 'U-2,3,,', 'U-3,4,new,']
    const match = { match: 'number' }
    const refused = await imported('order', rows, { ...match, mode: 'update' })
    assert.deepEqual(faultsOf(refused), [
      '4 number: there is no order with this "number" that you may read',
    ])
    assert.deepEqual(rulesOf(refused), ['4 number unmatched'])
    const plan = await imported('order', rows, { ...match, mode: 'insertOrUpdate', dryRun: 'true' })
    const counts = { created: 1, changed: 1, unchanged: 1 }
    assert.deepEqual(shortly(plan), { ...done, ...counts, state: 'ready' })
    const kept = await imported('order', rows, { ...match, mode: 'insertOrUpdate' })
    assert.deepEqual(shortly(kept), { ...done, ...counts })
    const now = () =>
      rowsOf(
        `SELECT number, total, note, urgency, _version FROM records."order" WHERE number LIKE 'U-%' ORDER BY 1`,
      )
    assert.deepEqual(await now(), [
      ['U-1', '1.00', 'one', 'high', 1],
      ['U-2', '3.00', 'two', 'high', 2],
      ['U-3', '4.00', 'new', 'low', 1],
    ])
    const empty = ['number,note,urgency', 'U-1,,', 'U-2,,high']
    await imported('order', empty, { ...match, mode: 'update', emptyCells: 'default' })
    assert.deepEqual((await now()).slice(0, 2), [
      ['U-1', '1.00', null, 'low', 2],
      ['U-2', '3.00', null, 'high', 3],
    ])
    await imported('order', ['number,urgency', 'U-1,'], {
      ...match,
      mode: 'update',
      emptyCells: 'clear',
    })
    assert.deepEqual((await now())[0], ['U-1', '1.00', null, null, 3])
  })

  test('are found whatever the case of what is unique whatever its case', async () => {
    await made('item', { tag: 'Straße', amount: 1 }, { tag: 'Blue', amount: 2 })
    const rows = ['tag,amount', 'BLUE,3', 'green,4', 'GREEN,5']
    const double = await imported('item', rows, { mode: 'insertOrUpdate', match: 'tag' })
    assert.deepEqual(
      faultsOf(double).map((one) => one.slice(0, 5)),
      ['4 tag'],
    )
    const run = await imported('item', rows.slice(0, 3), { mode: 'insertOrUpdate', match: 'tag' })
    assert.deepEqual(shortly(run), { ...done, created: 1, changed: 1 })
    const taken = await imported('item', ['tag', 'blue'])
    assert.match(faultsOf(taken).join(), /2 tag: another item has the same/)
  })

  test('a sum follows when a record moves to another one', async () => {
    await made('customer', { code: 'S1', name: 'One' }, { code: 'S2', name: 'Two' })
    await imported('order', ['number,customer.code,total', 'S-1,S1,5', 'S-2,S1,6'])
    const moved = ['number,customer.code', 'S-1,S2']
    const run = await imported('order', moved, { mode: 'update', match: 'number' })
    assert.deepEqual(shortly(run), { ...done, changed: 1 })
    assert.deepEqual(
      await rowsOf(`SELECT code, sum FROM records.customer WHERE code LIKE 'S_' ORDER BY 1`),
      [
        ['S1', '6.00'],
        ['S2', '5.00'],
      ],
    )
  })
})

test('rows may link to rows of the same file, wherever they stand; a circle is a fault', async () => {
  const run = await imported('category', ['code,parent.code', 'leaf,twig', 'twig,root', 'root,'])
  assert.deepEqual(shortly(run), { ...done, created: 3 })
  assert.deepEqual(
    await rowsOf(
      'SELECT c.code, p.code FROM records.category c LEFT JOIN records.category p ON p.id = c.parent_id ORDER BY 1',
    ),
    [
      ['leaf', 'twig'],
      ['root', null],
      ['twig', 'root'],
    ],
  )
  const faulty = ['code,parent.code', 'a,b', 'b,c', 'c,none', 'd,']
  const of = await imported('category', faulty, { dryRun: 'true' })
  assert.deepEqual([of.faulty, of.created], [3, 1])
  assert.deepEqual(faultsOf(of).toSorted().slice(0, 2), [
    '2 parent.code: leads to row 3 of the file, which has a fault',
    '3 parent.code: leads to row 4 of the file, which has a fault',
  ])
  assert.deepEqual(rulesOf(of).toSorted(), [
    '2 parent.code leadsToFault 3',
    '3 parent.code leadsToFault 4',
    '4 parent.code link',
  ])
  const left = ['code,parent.code', 'm3,m2', 'm1,', 'm2,none']
  const { id } = await imported('category', left, { allOrNothing: 'false' })
  const corrections = [{ row: 4, column: 'parent.code', text: 'm1' }]
  await ask('PATCH', `/api/imports/${id}/rows`, { body: { corrections } })
  assert.deepEqual(shortly(await ended(id)), { ...done, state: 'ready', created: 2 })
  await ask('POST', `/api/imports/${id}/start`)
  assert.deepEqual(shortly(await ended(id)), { ...done, created: 3 })
  const circle = await imported('category', ['code,parent.code', 'x,y', 'y,x', 'z,'])
  assert.deepEqual(rulesOf(circle), ['2 parent.code leadsBack', '3 parent.code leadsBack'])
})

test('what columns are for is saved in the definition', async () => {
  await made('customer', { code: 'D1', name: 'Saved' })
  const rows = [
    'Order No;Customer;Date;Total;State;Internal',
    'SV-1;D1;03.02.2026;1.234,50;urgent;x',
  ]
  const run = await imported('order', rows, { import: 'old_orders', separator: 'semicolon' })
  assert.deepEqual(shortly(run), { ...done, created: 1 })
  assert.deepEqual(
    await rowsOf(
      `SELECT total, ordered_on::text, urgency FROM records."order" WHERE number = 'SV-1'`,
    ),
    [['1234.50', '2026-02-03', 'high']],
  )
  // What the request says goes before it; the words for a state stay.
  const other = await imported(
    'order',
    ['Order No;Customer;Number of the day;State', 'SV-2;D1;x;urgent'],
    {
      import: 'old_orders',
      mode: 'insert',
      columns: '{"State":{"field":"urgency"},"Number of the day":"note","Customer":null}',
    },
  )
  assert.deepEqual(shortly(other), { ...done, created: 1 })
  assert.deepEqual(
    await rowsOf(`SELECT customer_id, note, urgency FROM records."order" WHERE number = 'SV-2'`),
    [[null, 'x', 'high']],
  )
  const headers = { 'Content-Type': 'text/csv' }
  const none = await ask('POST', '/order/import?import=old_order', { body: 'x', headers })
  assert.match(none.json(400).errors[0].message, /is none of order; did you mean "old_orders"/)
})

test('what only the service writes is imported by those who may', async () => {
  const rows = [
    'id,number,_step,_created_at,_created_by',
    '900001,H-1,closed,2001-02-03 04:05:06,2',
  ]
  const run = await imported('order', rows)
  assert.deepEqual(shortly(run), { ...done, created: 1 })
  assert.deepEqual(
    await rowsOf(
      `SELECT id, _step, _created_at::text, _created_by FROM records."order" WHERE number = 'H-1'`,
    ),
    [[900001, 'closed', '2001-02-03 03:05:06+00', 2]],
  )
  const ofClerk = await imported(
    'order',
    ['id,number,_step,total', '900002,H-2,closed,1'],
    {},
    'clerk',
  )
  assert.match(ofClerk.notes.join(), /not imported: "id", "_step"/)
  assert.deepEqual(
    await rowsOf(
      `SELECT id <> 900002 OR _created_by <> 1, _step FROM records."order" WHERE number = 'H-2'`,
    ),
    [[true, 'open']],
  )
})

test('several cells of a row and many rows are exactly those of single writes: conditions, validations, scopes and unreadable records', async () => {
  await made('customer', { code: 'A9', name: 'Readable' }, { code: 'B9', name: 'Hidden' })
  await made('order', { number: 'R-0' })
  const run = await imported(
    'order',
    ['number,total', 'R-1,1', 'R-2,101', 'R-0,2'],
    { mode: 'insertOrUpdate', match: 'number', allOrNothing: 'false' },
    'clerk',
  )
  assert.deepEqual([run.state, run.created, run.faulty], ['done', 1, 2])
  assert.match(faultsOf(run).join(), /3 -: The permission "create" .* Ask your manager/)
  assert.match(faultsOf(run).join(), /4 -: The permission does not include order/)
  const unseen = await imported('item', ['code,customer.code', 'R1,A9', 'R2,B9'], {}, 'partly')
  assert.deepEqual(faultsOf(unseen), [
    '3 customer.code: there is no customer with "B9" as its code that you may read',
  ])
})

test('functions are told of what is written, and of what is calculated from it, only where that is asked for', async () => {
  await imported('customer', ['code,name', 'TOLD,One'])
  for (const [at, query] of [{}, { notify: 'true' }, {}].entries()) {
    const rows = ['number,customer.code,total', `TOLD${at},TOLD,1`]
    assert.equal((await imported('order', rows, query)).created, 1)
  }
  assert.deepEqual(
    await rowsOf(
      `SELECT j.payload -> 'changes' -> 'sum' ->> 'after'
       FROM docket.job j JOIN records.customer c ON c.id = (j.payload ->> 'entity_id')::integer
       WHERE j.kind = 'message.handle' AND j.payload ->> 'entity_key' = 'customer' AND c.code = 'TOLD'`,
    ),
    [['2.00']],
  )
})

test('of several roles, those that grant the write let it write their columns', async () => {
  await made('item', { code: 'SR1', amount: 1 })
  const [[id] = []] = await rowsOf(`SELECT id FROM records.item WHERE code = 'SR1'`)
  const as = 'keeper@example.com'
  assert.equal((await ask('PATCH', `/item/${id}`, { body: { amount: 2 }, as })).status, 400)
  const sent = { body: 'code,amount\nSR1,2', headers: { 'Content-Type': 'text/csv' }, as }
  const refused = (await ask('POST', '/item/import?mode=update&match=code', sent)).json(422)
  assert.match(refused.errors[0].message, /"amount" your role may not write it/)
  const created = await imported('item', ['code,amount', 'SR2,2'], {}, 'keeper')
  assert.deepEqual(shortly(created), { ...done, created: 1 })
})

test('runs are seen by their user and administrators alone, and the right is asked', async () => {
  const clerk = { as: 'clerk@example.com' }
  const partly = { as: 'partly@example.com' }
  const { id } = await imported('order', ['number', 'V-1'], {}, 'clerk')
  for (const path of [`/api/imports/${id}`, `/api/imports/${id}/faults`])
    assert.deepEqual(
      [
        (await ask('GET', path, clerk)).status,
        (await ask('GET', path)).status,
        (await ask('GET', path, partly)).status,
      ],
      [200, 200, 404],
    )
  const sent = { body: 'code\nX', headers: { 'Content-Type': 'text/csv' }, ...clerk }
  assert.equal((await ask('POST', '/category/import', sent)).status, 403)
  const hidden = { ...sent, body: 'number,secret\nX-1,2' }
  const refused = (await ask('POST', '/order/import', hidden)).json(422)
  assert.equal(refused.errors[0].path, 'secret')
  const sealed = (await ask('POST', '/order/import', { ...sent, body: 'number,note\nX-1,2' })).json(
    422,
  )
  assert.match(sealed.errors[0].message, /your role may not write it/)
  assert.equal((await ask('DELETE', `/api/imports/${id}`, partly)).status, 404)
  assert.equal((await ask('DELETE', `/api/imports/${id}`, clerk)).status, 204)
  assert.equal((await ask('GET', `/api/imports/${id}`, clerk)).status, 404)
})

/** Seed files that cannot be read, unknown names and invalid records are reported together with their places, and nothing is loaded. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exifOf, pngWith } from '../../support/a-located-picture.ts'
import type { ProjectFiles } from '../../support/service.ts'
import { pngOf } from '../../support/uploads.ts'
import { assertRows, seeded, shareSeeded } from './a-seeded-project.ts'

shareSeeded()

const acme = '{ "id": 1, "code": "ACME", "name": "Acme" }'
const suppliers = { '1-supplier.json': `[${acme}]` }
const orders = (text: string) => ({ ...suppliers, '2-order.json': text })
const csv = (text: string) => ({ ...suppliers, '2-order.csv': text })

const cases: [name: string, seeds: ProjectFiles, errors: string[]][] = [
  [
    'files with invalid names',
    { 'supplier.json': '[]', '1-suplier.csv': '', '1-order.jsn': '' },
    [
      'seed/1-order.jsn:1:1 must be named <nn>-<entity key>.json or .csv, such as 03-supplier.csv',
      'seed/1-suplier.csv:1:1 does not name an entity: there is no "suplier"; did you mean "supplier"?',
      'seed/supplier.json:1:1 must be named <nn>-<entity key>.json or .csv, such as 03-supplier.csv',
    ],
  ],
  [
    'text that is not UTF-8, and text with tabs between its fields',
    {
      '1-supplier.csv': Buffer.from('code,name\nA,\xff\n', 'latin1'),
      '2-supplier.csv': Buffer.from('\ufeffcode,name\n', 'utf16le'),
      '3-supplier.csv': 'code\tname\nA\tB "x"\n',
    },
    [
      'seed/1-supplier.csv:1:1 is not UTF-8; save it as UTF-8: line 2 has a character of another encoding, such as Windows-1252',
      'seed/2-supplier.csv:1:1 is UTF-16; save it as UTF-8',
      'seed/3-supplier.csv:1:5 has tabs between the fields; save it with commas, and quote fields that have a comma',
    ],
  ],
  [
    'CSV with blank rows and columns, which are nothing',
    { '1-supplier.csv': 'code,name,,\r\nA,B,,\r\n,,,\r\n,C,,,,\r\n' },
    ['seed/1-supplier.csv:4:1 code is required and cannot be null'],
  ],
  [
    'numbers and days as people write them in other countries',
    csv('number,supplier_id,total,needed_by\n1,1,"1,50",05.01.2026\n2,1,1.255,2026-01-05\n'),
    [
      'seed/2-order.csv:2:5 total must be a number with a point before its decimals and no other marks, such as 1250.50, not "1,50"',
      'seed/2-order.csv:2:12 needed_by must be an existing day as YYYY-MM-DD, not "05.01.2026"',
      'seed/2-order.csv:3:5 total has more than 2 digits after the point',
    ],
  ],
  [
    'unique texts that differ in nothing but their case, and keys that lack the same part',
    {
      '1-shelf.csv': 'code,room,label\nA,Hall,a\na,Attic,b\nC,HALL,A\nD,Attic,\nE,attic,\n',
      '2-drawer.csv': 'room,label\nHall,\n,a\nhall,\n',
    },
    [
      'seed/1-shelf.csv:3:1 code has the code of line 2',
      'seed/1-shelf.csv:4:3 room has the room and label of line 2',
      'seed/1-shelf.csv:6:3 room has the room and label of line 5',
      'seed/2-drawer.csv:3:1 room is required and cannot be null',
      'seed/2-drawer.csv:4:1 room has the room and label of line 2',
    ],
  ],
  [
    'files that are not there, lie elsewhere, are too large, or are none that their field takes',
    {
      ...suppliers,
      'f/a.png': pngOf(),
      'f/b.pdf': pngOf('b'),
      'f/d.png': pngWith(exifOf(true)),
      'f/c.pdf': '',
      'f/large.pdf': `%PDF-1.7${' '.repeat(5_000)}`,
      '2-order.json': `[
{ "number": 1, "supplier_id": 1, "offer": "f/ofer.pdf" },
{ "number": 2, "supplier_id": 1, "offer": "../roles/buyer.json" },
{ "number": 3, "supplier_id": 1, "offer": "f/large.pdf" },
{ "number": 4, "supplier_id": 1, "offer": "f/b.pdf" },
{ "number": 5, "supplier_id": 1, "offer": "f/c.pdf" },
{ "number": 6, "supplier_id": 1, "offer": ["f/a.png"], "photos": "f/a.png" },
{ "number": 7, "supplier_id": 1, "photos": ["f/a.png", 1] },
{ "number": 8, "supplier_id": 1, "photos": ["f/a.png", "./f/a.png"] },
{ "number": 9, "supplier_id": 1, "photos": ["a.png", "b.png", "c.png"] },
{ "number": 11, "supplier_id": 1, "photos": ["f/d.png"] }
]`,
      '3-order.csv': 'number,supplier_id,photos\n10,1,f/a.png;d.png\n',
    },
    [
      'seed/2-order.json:2:34 [0].offer "f/ofer.pdf" does not exist in seed/',
      'seed/2-order.json:3:34 [1].offer "../roles/buyer.json" is not in the folder seed/',
      'seed/2-order.json:4:34 [2].offer "f/large.pdf" has 5008 bytes; FILES_MAX_BYTES allows 5000',
      'seed/2-order.json:5:34 [3].offer "f/b.pdf" is image/png by its content; the field takes application/pdf',
      'seed/2-order.json:6:34 [4].offer "f/c.pdf" is not a file with content',
      'seed/2-order.json:7:34 [5].offer must be the path of a file in seed/, not an array',
      'seed/2-order.json:7:56 [5].photos must be an array of paths of files in seed/, not "f/a.png"',
      'seed/2-order.json:8:56 [6].photos[1] must be the path of a file in seed/, not a number',
      'seed/2-order.json:9:56 [7].photos[1] "./f/a.png" is the same file as one before it',
      'seed/2-order.json:10:34 [8].photos has 3 files; at most 2 are allowed',
      'seed/2-order.json:11:46 [9].photos[0] "f/d.png" says where it was taken, or may say so, which the field does not keep (stripLocation); remove it from the file',
      'seed/3-order.csv:2:6 photos "d.png" does not exist in seed/',
    ],
  ],
  [
    'malformed JSON, and duplicate properties',
    {
      '1-supplier.json': '[{ "code": ]',
      '2-supplier.json': `[\n{ "code": "A", "code": "B", "name": "C" }]`,
    },
    [
      'seed/1-supplier.json:1:12 is not valid JSON here: value expected',
      'seed/1-supplier.json:1:13 is not valid JSON here: close brace expected',
      'seed/1-supplier.json:1:13 is not valid JSON here: close bracket expected',
      'seed/2-supplier.json:2:16 [0].code is a duplicate property; the first one would be lost',
    ],
  ],
  [
    'JSON that is not an array, and a record that is not an object',
    { '1-supplier.json': acme, '2-supplier.json': '[1]' },
    [
      'seed/1-supplier.json:1:1 must be an array of records, not an object',
      'seed/2-supplier.json:1:2 [0] must be an object of fields, not a number',
    ],
  ],
  [
    'records that do not meet a validation',
    orders(
      '[{ "number": 1, "supplier_id": 1 },\n{ "number": 2, "supplier_id": 1, "needed_by": "1999-12-31" }]',
    ),
    ['seed/2-order.json:2:34 [1].needed_by It is needed before it is placed.'],
  ],
  [
    'CSV without a header, with other separators, with an empty name, and with an unclosed quote',
    {
      '1-supplier.csv': '',
      '2-supplier.csv': 'code;name\nA;B\n',
      '3-supplier.csv': 'code,name,,\nA,B,,C\n',
      '4-supplier.csv': 'code,name\nA,"B\n',
    },
    [
      'seed/1-supplier.csv:1:1 has no header row with field keys',
      'seed/2-supplier.csv:1:5 has semicolons between the fields; save it with commas, and quote fields that have a comma',
      'seed/3-supplier.csv:1:12 the header has an empty name above values',
      'seed/4-supplier.csv:2:1 is not valid CSV: has a quote that is never closed (line 2)',
    ],
  ],
  [
    'CSV rows with a wrong number of fields, after a field of two lines; fields after such and quoted ones',
    {
      '1-supplier.csv': 'code,name,rating\r\nA,"B\r\nB",odd\n\nC\rD,E,F,G\r\n"E,""1",é,odd\n',
      '2-supplier.csv': 'code,name\n"A"B,C\n',
    },
    [
      'seed/1-supplier.csv:3:4 rating must be one of "good", "bad"',
      'seed/1-supplier.csv:5:1 has one field, but the header has 3',
      'seed/1-supplier.csv:6:1 has 4 fields, but the header has 3; a field with a comma must be quoted',
      'seed/1-supplier.csv:7:11 rating must be one of "good", "bad"',
      'seed/2-supplier.csv:2:1 is not valid CSV: has text after the quote that ends a cell; double each quote that is part of a cell (line 2)',
    ],
  ],
  [
    'CSV text that is invalid for its field',
    csv('number,supplier_id,is_urgent,extra,needed_by\none,1.5,ja,{,2026-02-30\n2,1,"","",\n'),
    [
      'seed/2-order.csv:2:1 number must be a whole number, not "one"',
      'seed/2-order.csv:2:5 supplier_id must be a whole number, not "1.5"',
      'seed/2-order.csv:2:9 is_urgent must be true or false, not "ja"',
      `seed/2-order.csv:2:12 extra must be JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2)`,
      'seed/2-order.csv:2:14 needed_by must be an existing day as YYYY-MM-DD, not "2026-02-30"',
      'seed/2-order.csv:3:5 is_urgent must be true or false, not ""',
      'seed/2-order.csv:3:8 extra must be JSON: Unexpected end of JSON input',
    ],
  ],
  [
    'unknown names in JSON',
    {
      '1-supplier.json':
        '[{ "code": "A", "nmae": 1, "orders": [], "_step": "x", "_owned_by": 1, "parent": 5, "name": "A" }]',
      '2-order.json': '[{ "number": 1, "supplier": { "name": "A" }, "supplier.code": "A" }]',
    },
    [
      'seed/1-supplier.json:1:17 [0].nmae is not a field of supplier; did you mean "name"?',
      'seed/1-supplier.json:1:28 [0].orders is a one-to-many field; set the link on the order records',
      'seed/1-supplier.json:1:42 [0]._step needs a workflow on supplier',
      'seed/1-supplier.json:1:56 [0]._owned_by needs "ownership": true on supplier',
      'seed/1-supplier.json:1:72 [0].parent is an association; identify a supplier by one of its unique fields, or give "parent_id"',
      'seed/2-order.json:1:31 [0].supplier.name "name" is not a unique field of supplier; its records are identified by id or code or vat',
      'seed/2-order.json:1:46 [0].supplier.code is not a field of order; did you mean "supplier_id"?',
    ],
  ],
  [
    'unknown names in CSV, reported once at the header',
    csv('number,supplier.cod,supler.code,notes.x,totl\n1,A,A,A,A\n2,A,A,A,A\n'),
    [
      'seed/2-order.csv:1:8 supplier.cod "cod" is not a unique field of supplier; its records are identified by id or code or vat; did you mean "code"?',
      'seed/2-order.csv:1:21 supler.code "supler" is not an association of order; did you mean "supplier"?',
      'seed/2-order.csv:1:33 notes.x "notes" is not an association of order',
      'seed/2-order.csv:1:41 totl is not a field of order; did you mean "total"?',
    ],
  ],
  [
    'a field that is given by two names, and an association that names no field or two fields',
    {
      ...csv('number,supplier_id,supplier.code\n1,1,ACME\n'),
      '3-order.json': '[{ "number": 1, "supplier_id": 1, "supplier": { "code": "ACME" } }]',
      '4-order.json':
        '[{ "number": 1, "supplier": {} },\n { "number": 2, "supplier": { "code": "ACME", "vat": "1" } }]',
    },
    [
      'seed/2-order.csv:1:20 supplier.code is given twice, also as "supplier_id"',
      'seed/3-order.json:1:35 [0].supplier is given twice, also as "supplier_id"',
      'seed/4-order.json:1:17 [0].supplier must name one unique field of supplier, not 0',
      'seed/4-order.json:2:17 [1].supplier must name one unique field of supplier, not 2',
    ],
  ],
  [
    'values that are invalid for their fields',
    orders(
      '[{ "number": "1", "supplier_id": 0, "total": "1.234", "extra": null, "placed_at": "soon", "_step": "drafd", "id": -1, "_created_at": 5, "_is_deleted": "no" }]',
    ),
    [
      'seed/2-order.json:1:4 [0].number must be a whole number, not a string',
      'seed/2-order.json:1:19 [0].supplier_id must be at least 1',
      'seed/2-order.json:1:37 [0].total has more than 2 digits after the point',
      'seed/2-order.json:1:70 [0].placed_at must be an existing time as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset, not "soon"',
      'seed/2-order.json:1:91 [0]._step "drafd" is not a step of order; did you mean "draft"?',
      'seed/2-order.json:1:109 [0].id must be at least 1',
      'seed/2-order.json:1:119 [0]._created_at must be an existing time as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset, not a number',
      'seed/2-order.json:1:137 [0]._is_deleted must be true or false, not a string',
    ],
  ],
  [
    'required values and keys that are null, and keys that are absent',
    { '1-supplier.json': '[{ "code": "A", "name": null },\n{ "name": "B" }]' },
    [
      'seed/1-supplier.json:1:17 [0].name is required and cannot be null',
      'seed/1-supplier.json:2:1 [1].code is required: a supplier is identified by its code',
    ],
  ],
  [
    'required values that are absent in some records',
    { '1-supplier.json': '[{ "code": "A", "name": "A" },\n{ "code": "B" },\n{ "code": "C" }]' },
    [
      'seed/1-supplier.json:2:1 [1].name is required',
      'seed/1-supplier.json:3:1 [2].name is required',
    ],
  ],
  [
    'a required value that no record has, once',
    { '2-supplier.csv': 'code\nD\nE\nF\n' },
    ['seed/2-supplier.csv:2:1 name is required, but none of the 3 records has it'],
  ],
  [
    'records with the same key, unique value or id',
    {
      '1-supplier.json':
        '[{ "code": "A", "name": "A", "vat": "1", "id": 5 },\n{ "code": "A", "name": "A" },\n{ "code": "C", "name": "C", "vat": "1" },\n{ "code": "D", "name": "D", "id": 5 }]',
    },
    [
      'seed/1-supplier.json:2:3 [1].code has the code of line 1',
      'seed/1-supplier.json:3:29 [2].vat has the vat of line 1',
      'seed/1-supplier.json:4:29 [3].id has the id of line 1',
    ],
  ],
  [
    'links to records that do not exist',
    orders(
      '[{ "number": 1, "supplier": { "code": "ACMA" }, "_created_by": { "email": "x@y.z" } },\n{ "number": 2, "supplier_id": 77, "_owned_by": 78 },\n{ "number": 3, "supplier": { "code": "ACMA" } }]',
    ),
    [
      'seed/2-order.json:1:31 [0].supplier.code there is no supplier with the code "ACMA"',
      'seed/2-order.json:1:66 [0]._created_by.email there is no user with the email "x@y.z"',
      'seed/2-order.json:2:16 [1].supplier_id there is no supplier with the id 77',
      'seed/2-order.json:2:35 [1]._owned_by there is no user with the id 78',
      'seed/2-order.json:3:30 [2].supplier.code there is no supplier with the code "ACMA"',
    ],
  ],
  [
    'an entity without a unique field or index',
    { '1-note.json': '[{ "text": "x" }]' },
    [
      'seed/1-note.json:1:1 cannot be loaded: note has no unique field or index to identify its records',
    ],
  ],
  [
    'two rows with the same linked record in their key',
    {
      '1-user_group.json': '[{ "code": "staff", "name": "Staff" }]',
      '2-user_group_member.csv':
        'user_group.code,user.email\nstaff,a@b.cd\nstaff,e@b.cd\nstaff,a@b.cd\n',
    },
    ['seed/2-user_group_member.csv:4:1 user_group_id has the user_group_id and user_id of line 2'],
  ],
  [
    'files after one with errors: only what they say themselves',
    {
      '1-supplier.json': '[{ "code": "A", "name": 1 }]',
      '2-order.json':
        '[{ "number": 1, "supplier": { "code": "A" } }, { "number": 2, "supplier": { "code": "B" } }]',
      '3-user.json': '[',
      '4-order.json': '[{ "number": 3, "supplier": { "code": "A" } }, { "number": "4" }]',
    },
    [
      'seed/1-supplier.json:1:17 [0].name must be a string, not a number',
      'seed/3-user.json:1:2 is not valid JSON here: close bracket expected',
      'seed/4-order.json:1:50 [1].number must be a whole number, not a string',
    ],
  ],
]

for (const [name, seeds, errors] of cases)
  test(`${name}: rejected with all places`, async () => {
    const [summary, ...lines] = await seeded.errorsOf(seeds)
    assert.deepEqual(lines, errors)
    const count = errors.length === 1 ? 'an error' : `${errors.length} errors`
    assert.equal(summary, `The seeds have ${count}; nothing was loaded:`)
    await assertRows('SELECT FROM records.supplier', [])
  })

test('the message shows the first fifty errors and the number of the rest', async () => {
  const rows = Array.from({ length: 2_000 }, (_, index) => `S${index},Name,lovely`)
  const [summary, ...lines] = await seeded.errorsOf({
    '1-supplier.csv': `code,name,rating\n${rows.join('\n')}\n`,
    '2-order.json': '[{ "number": "1" }]',
  })
  assert.equal(summary, 'The seeds have 2001 errors; nothing was loaded:')
  assert.equal(lines.length, 51)
  assert.equal(lines[49], 'seed/1-supplier.csv:51:10 rating must be one of "good", "bad"')
  assert.equal(lines[50], 'and 1951 more')
})

test('unique values and ids that conflict with records of the database are rejected', async () => {
  await seeded.load({
    '1-supplier.json': '[{ "code": "A", "name": "A", "vat": "1" }, { "code": "B", "name": "B" }]',
  })
  const conflicting = { '1-supplier.json': '[{ "code": "C", "name": "C", "vat": "1" }]' }
  const conflict =
    'seed/1-supplier.json:1:30 [0].vat is the vat of the supplier 1, and must be unique'
  assert.deepEqual((await seeded.errorsOf(conflicting)).slice(1), [conflict])
  const alsoInvalid = { ...conflicting, '2-order.json': '[{ "number": true, "supplier_id": 1 }]' }
  assert.deepEqual((await seeded.errorsOf(alsoInvalid)).slice(1), [
    conflict,
    'seed/2-order.json:1:4 [0].number must be a whole number, not a boolean',
  ])
  const ids = {
    '1-supplier.json': '[{ "code": "C", "name": "C", "id": 1 },\n{ "code": "B", "id": 9 }]',
  }
  assert.deepEqual((await seeded.errorsOf(ids)).slice(1), [
    'seed/1-supplier.json:1:30 [0].id 1 is the id of another supplier',
    'seed/1-supplier.json:2:16 [1].id the supplier with this code has the id 2 already; ids cannot be changed',
  ])
  assert.equal((await seeded.rows('SELECT FROM records.supplier')).length, 2)
})

test('an error that only PostgreSQL detects is reported with its message', async () => {
  await seeded.pool.query(`ALTER TABLE records.supplier ADD CONSTRAINT plain CHECK (name <> 'odd')`)
  try {
    const [, line] = await seeded.errorsOf({
      '1-supplier.json': '[{ "code": "A", "name": "odd" }]',
    })
    assert.match(line ?? '', /^seed\/1-supplier\.json:1:1 is rejected: Failing row contains/)
  } finally {
    await seeded.pool.query('ALTER TABLE records.supplier DROP CONSTRAINT plain')
  }
})

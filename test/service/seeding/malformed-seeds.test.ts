/** Seed files that cannot be read, and unknown names in them, are reported with their places. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProjectFiles } from '../../support/service.ts'
import { seeded, shareSeeded } from './a-seeded-project.ts'

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
    'text that is not UTF-8',
    { '1-supplier.csv': Buffer.from('code,name\nA,\xff\n', 'latin1') },
    ['seed/1-supplier.csv:1:1 is not UTF-8; save it as UTF-8'],
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
    'JSON that is not an array',
    { '1-supplier.json': acme },
    ['seed/1-supplier.json:1:1 must be an array of records, not an object'],
  ],
  [
    'a record that is not an object',
    { '1-supplier.json': '[1]' },
    ['seed/1-supplier.json:1:2 [0] must be an object of fields, not a number'],
  ],
  [
    'CSV without a header, with other separators, with an empty name, and with an unclosed quote',
    {
      '1-supplier.csv': '',
      '2-supplier.csv': 'code;name\nA;B\n',
      '3-supplier.csv': 'code,name,\nA,B,\n',
      '4-supplier.csv': 'code,name\nA,"B\n',
    },
    [
      'seed/1-supplier.csv:1:1 has no header row with field keys',
      'seed/2-supplier.csv:1:1 code;name is not separated by commas',
      'seed/2-supplier.csv:2:1 code is required: a supplier is identified by its code',
      'seed/3-supplier.csv:1:11 the header has an empty name',
      'seed/4-supplier.csv:2:3 is not valid CSV: this quote is never closed',
    ],
  ],
  [
    'CSV rows with a wrong number of fields, after a field of two lines',
    { '1-supplier.csv': 'code,name\r\nA,"B\r\nB"\r\nC\r\nD,E,F\r\n' },
    [
      'seed/1-supplier.csv:4:1 has one field, but the header has 2',
      'seed/1-supplier.csv:5:1 has 3 fields, but the header has 2',
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
    'a field that is given by two names',
    {
      ...csv('number,supplier_id,supplier.code\n1,1,ACME\n'),
      '3-order.json': '[{ "number": 1, "supplier_id": 1, "supplier": { "code": "ACME" } }]',
    },
    [
      'seed/2-order.csv:1:20 supplier.code is given twice, also as "supplier_id"',
      'seed/3-order.json:1:35 [0].supplier is given twice, also as "supplier_id"',
    ],
  ],
  [
    'an association that names no field or two fields',
    orders(
      '[{ "number": 1, "supplier": {} },\n { "number": 2, "supplier": { "code": "ACME", "vat": "1" } }]',
    ),
    [
      'seed/2-order.json:1:17 [0].supplier must name one unique field of supplier, not 0',
      'seed/2-order.json:2:17 [1].supplier must name one unique field of supplier, not 2',
    ],
  ],
]

for (const [name, seeds, errors] of cases)
  test(`${name}: rejected with all places`, async () => {
    const [summary, ...lines] = await seeded.errorsOf(seeds)
    assert.deepEqual(lines, errors)
    const count = errors.length === 1 ? 'an error' : `${errors.length} errors`
    assert.equal(summary, `The seeds have ${count}; nothing was loaded:`)
    assert.deepEqual(await seeded.rows('SELECT FROM records.supplier'), [])
  })

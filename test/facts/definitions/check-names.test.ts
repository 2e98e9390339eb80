/** Labels, names of choices and units in definitions; times in the zone of the service; cycles of required links. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  errorsOfOrder,
  findingsOf,
  findingsOfEntities,
  load,
} from '../../support/definitions/a-project.ts'

const withoutPlaces = (found: readonly string[]) =>
  found.map((line) => line.replace(/:\d+:\d+/, ''))

for (const [label, issue] of [
  ['\u001b[31m', 'contains the control character U+001B at position 0'],
  ['a\ud800', 'contains half of a surrogate pair, which is not a character'],
  ['a\tb', 'contains a tab or a line break at position 1; use a single line'],
  ['a\r\nb', 'contains a tab or a line break at position 1; use a single line'],
] as const)
  test(`the label ${JSON.stringify(label)} ${issue}, wherever it stands`, async () => {
    const action = { key: 'do', kind: 'proceedToStep', to: 'b', name: label }
    const order = {
      key: 'order',
      name: label,
      pluralName: label,
      fields: [
        { key: 'at', type: 'date', name: label },
        { key: 'level', type: 'enum', values: ['low', { value: 'high', name: label }] },
        { key: 'size', type: 'integer', unit: label },
      ],
      exportSettings: { columnDefs: [{ headerName: label, field: 'id' }] },
      workflow: {
        initialStep: 'a',
        steps: [{ key: 'a', name: label, actions: [action] }, { key: 'b' }],
      },
    }
    const found = await findingsOf({
      'docket.json': { name: label },
      'entities/order.json': order,
      'roles/clerk.json': { key: 'clerk', name: label, permissions: {} },
    })
    const ofOrder = [
      ...['name', 'pluralName', 'fields[0].name', 'fields[1].values[1].name', 'fields[2].unit'],
      ...['workflow.steps[0].name', 'workflow.steps[0].actions[0].name'],
      // Headers of columns may have several lines, as in spreadsheets.
      ...(issue.includes('single line') ? [] : ['exportSettings.columnDefs[0].headerName']),
    ].map((path) => `entities/order.json ${path}`)
    assert.deepEqual(
      withoutPlaces(found).sort(),
      [...ofOrder, 'docket.json name', 'roles/clerk.json name']
        .map((place) => `${place} ${issue}`)
        .sort(),
    )
  })

test('a label may be in any script, and the check skips other values with the property name of a label', async () => {
  const name = 'Nº 5 – ﷽ 発注書 𝕏 "a"'
  const fields = [
    { key: 'name', type: 'text', name, default: 'a\n' },
    { key: 'extra', type: 'json', default: { name: 'a\tb' } },
  ]
  const exportSettings = { columnDefs: [{ headerName: name, field: 'name' }] }
  assert.deepEqual(await errorsOfOrder({ name, fields, exportSettings }), [])
})

test('choices may have names of their own, each once, and only they have some in an export', async () => {
  const level = (...values: unknown[]) => ({ fields: [{ key: 'level', type: 'enum', values }] })
  const named = (name: string) => level({ value: 'low', name })
  const entities = {
    valid: level('low', { value: 'high', name: 'High' }),
    empty: named(''),
    long: named('x'.repeat(101)),
    twice: level('High', { value: 'high', name: 'High' }, { value: 'most', name: 'High' }),
    export_of_text: {
      fields: [{ key: 'number', type: 'string' }],
      exportSettings: { columnDefs: [{ field: 'number', format: 'name' }] },
    },
  }
  assert.deepEqual(await findingsOfEntities(entities), [
    'empty: fields[0].values[0].name must not be empty',
    'export_of_text: exportSettings.columnDefs[0].format is for enums and "_step"; "number" has no named values',
    'long: fields[0].values[0].name must not have more than 100 characters',
    'twice: fields[0].values[1].name "High" already stands for another value',
    'twice: fields[0].values[2].name "High" already stands for another value',
  ])
})

test('a unit is a text, or a choice or a text of the record or of one that it links to', async () => {
  const currency = {
    key: 'currency',
    fields: [
      { key: 'code', type: 'string' },
      { key: 'digits', type: 'integer' },
    ],
  }
  const of = (field: string) => ({ type: 'decimal', unit: { field } })
  const numbers = [
    ...[
      { type: 'decimal', unit: 'EUR' },
      { type: 'integer', unit: 'h' },
    ],
    ...[{ type: 'bigint', unit: { field: 'kind' } }, of('currency.code')],
    ...['currency.cod', 'curency.code', 'currency.digits', 'note'].map(of),
  ].map((field, at) => ({ key: `n${at}`, ...field }))
  const fields = [
    ...numbers,
    { key: 'currency', type: 'manyToOne', entity: 'currency' },
    { key: 'kind', type: 'enum', values: ['kg', 'piece'] },
    { key: 'note', type: 'text' },
  ]
  assert.deepEqual(await errorsOfOrder({ fields }, { 'entities/currency.json': currency }), [
    'fields[4].unit.field "cod" is not a field of currency; did you mean "code"?',
    'fields[5].unit.field "curency" is not an association of order; did you mean "currency"?',
    'fields[6].unit.field "currency.digits" is not a string or an enum, so it cannot name a unit',
    'fields[7].unit.field "note" is not a string or an enum, so it cannot name a unit',
  ])
  const [found = ''] = await errorsOfOrder({ fields: [{ key: 'on', type: 'date', unit: 'd' }] })
  assert.match(found, /^fields\[0\]\.unit /)
})

const times = (...fields: object[]) => ({
  fields: fields.map((field, at) => ({ key: `at_${at}`, type: 'timestamp', ...field })),
})
const inZagreb = { 'docket.json': { timeZone: 'Europe/Zagreb' } }
// This hour does not exist in Zagreb: summer time begins at two.
const skippedTime = '2026-03-29 02:30:00'

test('times of a definition exist in the time zone of the project, and are compared there', async () => {
  const skipped = times({ default: skippedTime }, { min: skippedTime }, { max: skippedTime })
  assert.deepEqual(await errorsOfOrder(skipped), [])
  assert.deepEqual(
    await errorsOfOrder(skipped, inZagreb),
    ['default', 'min', 'max'].map(
      (property, at) =>
        `fields[${at}].${property} must be an existing time as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset, not "${skippedTime}"`,
    ),
  )
  const [local, max] = ['2026-05-04 10:00:00', '2026-05-04T09:00:00Z']
  const compared = times({ min: local, max }, { default: local, max })
  assert.deepEqual(await errorsOfOrder(compared, inZagreb), [])
  assert.deepEqual(await errorsOfOrder(compared), [
    'fields[0].min must not be above "max", which is 2026-05-04T09:00:00Z: no value would be valid',
    'fields[1].default must be at most 2026-05-04T09:00:00.000Z',
  ])
})

test('the timeZone argument of loadProject overrides the time zone of the project', async () => {
  const order = { key: 'order', ...times({ default: skippedTime }) }
  const files = { ...inZagreb, 'entities/order.json': order }
  assert.equal((await load(files)).findings.length, 1)
  assert.deepEqual((await load(files, 'UTC')).findings, [])
})

test('an invalid time zone is a single finding, not one for every time', async () => {
  const order = times({ default: '2026-05-04 10:00:00' })
  const [finding, ...more] = await errorsOfOrder(order, { 'docket.json': { timeZone: 'Zagreb' } })
  assert.match(finding ?? '', /"Zagreb" is not an IANA time zone/)
  assert.deepEqual(more, [])
})

const entity = (key: string, links: Readonly<Record<string, boolean>>) => ({
  [`entities/${key}.json`]: {
    key,
    fields: Object.entries(links).map(([target, required]) => ({
      key: `the_${target}`,
      type: 'manyToOne',
      entity: target,
      required,
    })),
  },
})

test('every required link of a cycle is reported, and links that lead into the cycle are not', async () => {
  const found = await findingsOf({
    ...entity('a', { b: true, d: true }),
    ...entity('b', { c: true }),
    ...entity('c', { a: true }),
    ...entity('d', {}),
    ...entity('e', { a: true }),
  })
  assert.deepEqual(
    withoutPlaces(found),
    ['a needs b needs c needs a', 'b needs c needs a needs b', 'c needs a needs b needs c'].map(
      (cycle) =>
        `entities/${cycle[0]}.json fields[0].required no record of ${cycle[0]} can ever be created: ${cycle}; remove "required" from one of these links`,
    ),
  )
})

test('a cycle with one optional link is valid', async () => {
  assert.deepEqual(
    await findingsOf({ ...entity('a', { b: true }), ...entity('b', { a: false }) }),
    [],
  )
})

test('a required link of an entity to itself is only a warning, because seeds can create the first record', async () => {
  const [found, ...rest] = await findingsOf(entity('a', { a: true }))
  assert.match(found ?? '', /warning: fields\[0\]\.required no first record of a can be created/)
  assert.deepEqual(rest, [])
})

/** Labels, names of choices and units in definitions; times in the zone of the service; cycles of required links. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorsOfOrder, findingsOf, load } from '../../support/definitions/a-project.ts'

const invalidLabels: readonly [label: string, issue: string][] = [
  ['a\0', 'contains the control character NUL at position 1'],
  ['\u001b[31m', 'contains the control character U+001B at position 0'],
  ['a\u007f', 'contains the control character U+007F at position 1'],
  ['a\ud800', 'contains half of a surrogate pair, which is not a character'],
  ['a\uffff', 'holds U+FFFF at position 1'],
  ['a\tb', 'contains a tab or a line break at position 1; use a single line'],
  ['a\r\nb', 'contains a tab or a line break at position 1; use a single line'],
]
for (const [label, issue] of invalidLabels)
  test(`the label ${JSON.stringify(label)} ${issue}`, async () => {
    const column = { headerName: label, field: 'id' }
    // Column headers may have several lines, as in spreadsheets.
    const headerIssues = issue.includes('single line')
      ? []
      : [`exportSettings.columnDefs[0].headerName ${issue}`]
    assert.deepEqual(
      await errorsOfOrder({ exportSettings: { columnDefs: [column] } }),
      headerIssues,
    )
    const field = { key: 'at', type: 'date', name: label }
    const action = { key: 'do', kind: 'proceedToStep', to: 'b', name: label }
    const steps = [{ key: 'a', name: label, actions: [action] }, { key: 'b' }]
    assert.deepEqual(
      await errorsOfOrder({
        name: label,
        fields: [field],
        workflow: { initialStep: 'a', steps },
      }),
      [
        `fields[0].name ${issue}`,
        `name ${issue}`,
        `workflow.steps[0].name ${issue}`,
        `workflow.steps[0].actions[0].name ${issue}`,
      ],
    )
    const found = await findingsOf({
      'docket.json': { name: label },
      'roles/clerk.json': { key: 'clerk', name: label, permissions: {} },
    })
    assert.deepEqual(
      found.map((line) => line.replace(/:\d+:\d+/, '')),
      [`docket.json name ${issue}`, `roles/clerk.json name ${issue}`],
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

const level = (...values: unknown[]) => ({ fields: [{ key: 'level', type: 'enum', values }] })

const rows: readonly [fact: string, order: object, ...errors: string[]][] = [
  ['some values may have names', level('low', { value: 'high', name: 'High' })],
  [
    'an empty name is an error',
    level({ value: 'low', name: '' }),
    'fields[0].values[0].name must not be empty',
  ],
  [
    'a name of more than 100 characters is an error',
    level({ value: 'low', name: 'x'.repeat(101) }),
    'fields[0].values[0].name must not have more than 100 characters',
  ],
  [
    'a name of several lines is an error',
    level({ value: 'low', name: 'Low\nest' }),
    'fields[0].values[0].name contains a tab or a line break at position 3; use a single line',
  ],
  [
    'two values with one name are an error, also if it is the value of the other',
    level('High', { value: 'high', name: 'High' }, { value: 'most', name: 'High' }),
    'fields[0].values[1].name "High" already stands for another value',
    'fields[0].values[2].name "High" already stands for another value',
  ],
  [
    'an export column of another field has no names',
    {
      fields: [{ key: 'number', type: 'string' }],
      exportSettings: { columnDefs: [{ field: 'number', format: 'name' }] },
    },
    'exportSettings.columnDefs[0].format is for enums and "_step"; "number" has no named values',
  ],
  [
    'a plural name of several lines is an error',
    { pluralName: 'All\norders', fields: [{ key: 'number', type: 'string' }] },
    'pluralName contains a tab or a line break at position 3; use a single line',
  ],
]
for (const [fact, order, ...errors] of rows)
  test(fact, async () => {
    assert.deepEqual(await errorsOfOrder({ key: 'order', ...order }), errors)
  })

const currencies = {
  'entities/currency.json': {
    key: 'currency',
    fields: [
      { key: 'code', type: 'string' },
      { key: 'digits', type: 'integer' },
    ],
  },
}
const unitFields = [
  { key: 'currency', type: 'manyToOne', entity: 'currency' },
  { key: 'kind', type: 'enum', values: ['kg', 'piece'] },
  { key: 'note', type: 'text' },
]

const units: readonly [field: object, issue: string | undefined][] = [
  [{ type: 'decimal', unit: 'EUR' }, undefined],
  [{ type: 'integer', unit: 'h' }, undefined],
  [{ type: 'bigint', unit: { field: 'kind' } }, undefined],
  [{ type: 'decimal', unit: { field: 'currency.code' } }, undefined],
  [
    { type: 'decimal', unit: { field: 'currency.cod' } },
    '.field "cod" is not a field of currency; did you mean "code"?',
  ],
  [
    { type: 'decimal', unit: { field: 'curency.code' } },
    '.field "curency" is not an association of order; did you mean "currency"?',
  ],
  [
    { type: 'decimal', unit: { field: 'currency.digits' } },
    '.field "currency.digits" is not a string or an enum, so it cannot name a unit',
  ],
  [
    { type: 'decimal', unit: { field: 'note' } },
    '.field "note" is not a string or an enum, so it cannot name a unit',
  ],
  [
    { type: 'decimal', unit: 'k\tg' },
    ' contains a tab or a line break at position 1; use a single line',
  ],
]
for (const [field, issue] of units)
  test(`the number ${JSON.stringify(field)} ${issue ?? 'is valid'}`, async () => {
    const found = await errorsOfOrder(
      { fields: [...unitFields, { key: 'total', ...field }] },
      currencies,
    )
    assert.deepEqual(found, issue === undefined ? [] : [`fields[3].unit${issue}`])
  })

test('what is no number has no unit', async () => {
  const [found = ''] = await errorsOfOrder({ fields: [{ key: 'on', type: 'date', unit: 'd' }] })
  assert.match(found, /^fields\[0\]\.unit /)
})

const timestamp = (settings: object) => ({
  fields: [{ key: 'at', type: 'timestamp', ...settings }],
})
const inZagreb = { 'docket.json': { timeZone: 'Europe/Zagreb' } }
const notTime = 'must be an existing time as YYYY-MM-DD HH:MM:SS or ISO 8601 with offset, not'

// This hour does not exist in Zagreb: summer time begins at two.
const skippedTime = '2026-03-29 02:30:00'

for (const property of ['default', 'min', 'max'])
  test(`a ${property} that does not exist in the time zone of the project is an error`, async () => {
    const order = timestamp({ [property]: skippedTime })
    assert.deepEqual(await errorsOfOrder(order), [])
    assert.deepEqual(await errorsOfOrder(order, inZagreb), [
      `fields[0].${property} ${notTime} "${skippedTime}"`,
    ])
  })

test('minimum and maximum with and without an offset are compared in the time zone', async () => {
  const order = timestamp({ min: '2026-05-04 10:00:00', max: '2026-05-04T09:00:00Z' })
  assert.deepEqual(await errorsOfOrder(order, inZagreb), [])
  assert.deepEqual(await errorsOfOrder(order), [
    'fields[0].min must not be above "max", which is 2026-05-04T09:00:00Z: no value would be valid',
  ])
})

test('a default is compared with minimum and maximum in the time zone', async () => {
  const order = timestamp({ default: '2026-05-04 10:00:00', max: '2026-05-04T09:00:00Z' })
  assert.deepEqual(await errorsOfOrder(order, inZagreb), [])
  assert.deepEqual(await errorsOfOrder(order), [
    'fields[0].default must be at most 2026-05-04T09:00:00.000Z',
  ])
})

test('the timeZone argument of loadProject overrides the time zone of the project', async () => {
  const files = {
    ...inZagreb,
    'entities/order.json': { key: 'order', ...timestamp({ default: skippedTime }) },
  }
  assert.equal((await load(files)).findings.length, 1)
  assert.deepEqual((await load(files, 'UTC')).findings, [])
})

test('an invalid time zone is a single finding, not one for every time', async () => {
  const order = timestamp({ default: '2026-05-04 10:00:00' })
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
    found.map((line) => line.replace(/:\d+:\d+/, '')),
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

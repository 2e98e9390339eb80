/** Findings of `docket check` in whole projects: each has its place, and none hides another. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { findingsOf, load } from '../../support/definitions/a-project.ts'

const item = { key: 'item', fields: [{ key: 'name', type: 'string' }] }

test('the example project has no findings', async () => {
  const directory = fileURLToPath(new URL('../../../example', import.meta.url))
  const { project, findings } = await loadProject(directory)
  assert.deepEqual(findings, [])
  assert.deepEqual(project?.settings.name, 'Procurement')
})

test('a project with only docket.json has the native entities', async () => {
  const { project, findings } = await load({ 'docket.json': {} })
  assert.deepEqual(findings, [])
  assert.deepEqual([...(project?.catalog.entities.keys() ?? [])].sort(), [
    ...['printable_document', 'saved_view', 'security_role', 'task', 'user', 'user_group'],
    'user_group_member',
  ])
  assert.deepEqual([...(project?.sources.keys() ?? [])], [])
})

test('a missing folder is a single finding', async () => {
  const { project, findings } = await loadProject(join('does', 'not', 'exist'))
  assert.equal(project, undefined)
  assert.deepEqual(
    findings.map(({ message }) => message),
    [
      'is not a folder; choose the project with --project DIR or PROJECT, or create one with docket init DIR',
    ],
  )
})

test('a finding names file, line, column and path, and suggests a similar name', async () => {
  const text = [
    ...['{', '  "key": "item",', '  "fields": ['],
    ...['    { "key": "name", "type": "string", "requierd": true }', '  ]', '}'],
  ].join('\r\n')
  assert.deepEqual(await findingsOf({ 'entities/item.json': text }), [
    'entities/item.json:4:40 fields[0].requierd is not a known property; did you mean "required"?',
  ])
})

test('findings of all files are reported together', async () => {
  const { project, findings } = await load({
    'docket.json': { timeZone: 'Europe/Zagrep' },
    'entities/a.json': { key: 'a', fields: [{ key: 'b', type: 'sting' }], nme: 'A' },
    'entities/b.json': '{ "key" "b" }',
    'entities/c.json': { key: 'c', fields: [{ key: 'd', type: 'manyToOne', entity: 'none' }] },
    'roles/d.json': { key: 'd', permissions: { c: { raed: true } } },
  })
  assert.equal(project, undefined)
  assert.deepEqual(
    findings.map(({ file, path }) => [file, path]),
    [
      ['entities/b.json', ''],
      ['docket.json', 'timeZone'],
      ['entities/a.json', 'nme'],
      ['entities/a.json', 'fields[0].type'],
      ['roles/d.json', 'permissions.c.raed'],
      ['entities/c.json', 'fields[0].entity'],
    ],
  )
})

test('a link to an entity whose file is invalid is not another finding', async () => {
  const order = {
    key: 'order',
    fields: [
      { key: 'item', type: 'manyToOne', entity: 'item' },
      { key: 'parts', type: 'oneToMany', entity: 'part', mappedBy: 'order' },
    ],
    exportSettings: { columnDefs: [{ field: 'item.name' }] },
  }
  const found = await findingsOf({
    'entities/item.json': { ...item, ownership: 'yes' },
    'entities/order.json': order,
    'entities/part.json': '{',
    'roles/clerk.json': { key: 'clerk', permissions: { item: { read: true } } },
  })
  assert.deepEqual(
    found.filter((line) => !/^entities\/(item|part)\.json/.test(line)),
    [],
  )
  assert.ok(
    found.some((line) =>
      /^entities\/item\.json:1:\d+ ownership must be true or false, not a string$/.test(line),
    ),
  )
})

test('a fault in one file brings no findings in others, whatever these take from it', async () => {
  const building = {
    key: 'building',
    fields: [
      { key: 'name', type: 'string' },
      { key: 'town', type: 'manyToOne', entity: 'town' },
      { key: 'requests', type: 'oneToMany', entity: 'request', mappedBy: 'building' },
      { key: 'cost', type: 'integer', rollup: { sum: 'requests.cost' } },
      { key: 'price', type: 'integer', unit: { field: 'town.currency' } },
    ],
    exportSettings: { columnDefs: [{ field: 'town.county.name' }] },
  }
  const request = {
    key: 'request',
    fields: [
      { key: 'building', type: 'manyToOne', entity: 'building' },
      { key: 'cost', type: 'integer' },
    ],
    workflow: {
      initialStep: 'open',
      steps: [
        { key: 'open', actions: [{ key: 'close', kind: 'proceedToStep', to: 'closed' }] },
        { key: 'closed', final: true },
      ],
    },
  }
  const town = {
    key: 'town',
    fields: [
      { key: 'currency', type: 'string' },
      { key: 'county', type: 'manyToOne', entity: 'county' },
    ],
  }
  const county = { key: 'county', fields: [{ key: 'name', type: 'string' }] }
  const user = {
    ...{ key: 'user', extends: 'native' },
    fields: [{ key: 'home', type: 'manyToOne', entity: 'building' }],
  }
  const clerk = {
    key: 'clerk',
    permissions: {
      request: {
        ...{ read: true, update: true, hiddenFields: ['cost'], actions: ['close'] },
        conditions: { update: { cost: { $lt: 5 } } },
      },
      user: { read: true, hiddenFields: ['home'] },
    },
  }
  const de = {
    entities: {
      request: {
        name: 'Meldung',
        fields: { cost: { name: 'Kosten' } },
        steps: { open: 'Offen' },
      },
      town: { fields: { currency: { name: 'Währung' } } },
    },
    roles: { clerk: { name: 'Sachbearbeitung' } },
  }
  const files = {
    'docket.json': {
      menu: { groups: [{ key: 'all', name: 'All', entities: ['request'] }], hidden: ['town'] },
    },
    ...{ 'entities/building.json': building, 'entities/request.json': request },
    ...{ 'entities/town.json': town, 'entities/county.json': county },
    ...{ 'entities/user.json': user, 'roles/clerk.json': clerk, 'translations/de.json': de },
  }
  assert.deepEqual(await findingsOf(files), [])
  for (const [file, value] of Object.entries(files)) {
    const { fields = [] } = value as { readonly fields?: readonly object[] }
    const faults = [
      JSON.stringify(value).slice(0, -1),
      { ...value, surplus: true },
      { ...value, key: 5 },
      ...fields.map((field, at) => ({
        ...value,
        fields: fields.with(at, { ...field, type: 'unknown' }),
      })),
      ...fields.map((field, at) => ({ ...value, fields: fields.with(at, { ...field, key: 7 }) })),
    ]
    for (const fault of faults) {
      const found = await findingsOf({ ...files, [file]: fault })
      assert.notDeepEqual(found, [])
      assert.deepEqual(
        found.filter((line) => !line.startsWith(`${file}:`)),
        [],
      )
    }
  }
})

test('beside a fault, other faults are found as before, with suggestions', async () => {
  const order = (name: string, entity: string) => ({
    key: 'order',
    fields: [{ key: 'item', type: 'manyToOne', entity }],
    exportSettings: { columnDefs: [{ field: name }] },
  })
  const faulty = { ...item, ownership: 'yes' }
  const foundIn = async (name: string, entity: string) =>
    (
      await findingsOf({
        'entities/item.json': faulty,
        'entities/order.json': order(name, entity),
        'roles/clerk.json': { key: 'clerk', permissions: { itme: { read: true } } },
      })
    ).filter((line) => !line.startsWith('entities/item.json'))
  const role =
    'roles/clerk.json:1:40 permissions.itme there is no entity "itme"; did you mean "item"?'
  assert.deepEqual(
    (await foundIn('itm.name', 'itme')).map((line) => line.replace(/^\S+ /, '')),
    [
      'fields[0].entity there is no entity "itme"; did you mean "item"?',
      'exportSettings.columnDefs[0].field "itm" is not an association of order; did you mean "item"?',
      role.replace(/^\S+ /, ''),
    ],
  )
})

const malformed: readonly [text: string, place: string, issue: string][] = [
  ['', '1:1', 'value expected'],
  ['{\n  "key": "item"\n  "fields": []\n}', '3:3', 'comma expected'],
  ['{\n  "key" "item", "fields": [] }', '2:9', 'colon expected'],
  ['{ "key": "item", "fields": [] ', '1:31', 'close brace expected'],
  ['{ "key": "item", "fields": [] } {}', '1:33', 'end of file expected'],
  ['// no\n{ "key": "item", "fields": [] }', '1:1', 'invalid comment token'],
  ['{ "key": "it\u0001em", "fields": [] }', '1:10', 'invalid character'],
  ['{ "key": "item", [] }', '1:18', 'property name expected'],
]
for (const [text, place, issue] of malformed)
  test(`malformed JSON: ${issue} at ${place}`, async () => {
    const [first] = await findingsOf({ 'entities/item.json': text })
    assert.equal(first, `entities/item.json:${place} is not valid JSON here: ${issue}`)
  })

test('a duplicate property is a finding at its second place, at every depth', async () => {
  const text = '{ "key": "item",\n"fields": [{ "key": "a", "type": "text",\n  "key": "b" }] }'
  assert.deepEqual(await findingsOf({ 'entities/item.json': text }), [
    'entities/item.json:3:3 fields[0].key is a duplicate property; the first one would be lost',
  ])
})

test('__proto__ is an unknown property', async () => {
  const text = '{ "key": "item", "fields": [], "__proto__": { "ownership": true } }'
  assert.deepEqual(await findingsOf({ 'entities/item.json': text }), [
    'entities/item.json:1:32 __proto__ is not a known property',
  ])
})

test('a byte order mark is accepted', async () => {
  assert.deepEqual(await findingsOf({ 'entities/item.json': `\uFEFF${JSON.stringify(item)}` }), [])
})

test('a file without a JSON object is an error', async () => {
  for (const [text, kind] of [
    ['null', 'null'],
    ['[]', 'an array'],
    ['5', 'a number'],
    ['"item"', 'a string'],
  ] as const)
    assert.deepEqual(
      (
        await findingsOf({
          'entities/item.json': text,
          'roles/clerk.json': text,
          'docket.json': text,
        })
      ).sort(),
      ['docket.json', 'entities/item.json', 'roles/clerk.json'].map(
        (file) => `${file}:1:1 must be an object, not ${kind}`,
      ),
    )
})

test('the name of a file must equal its key', async () => {
  assert.deepEqual(
    await findingsOf({
      'entities/thing.json': item,
      'roles/boss.json': { key: 'clerk', permissions: {} },
    }),
    [
      'entities/thing.json:1:2 key is "item" but the file is named thing.json; use the same name for both',
      'roles/boss.json:1:2 key is "clerk" but the file is named boss.json; use the same name for both',
    ],
  )
})

test('an entity that two files define is an error', async () => {
  const found = await findingsOf({ 'entities/item.json': item, 'entities/other.json': item })
  assert.ok(found.includes('entities/other.json:1:2 key "item" is defined twice'), found.join('\n'))
})

test('only JSON files are read', async () => {
  assert.deepEqual(
    await findingsOf({
      'entities/notes.md': 'x',
      'entities/item.json.bak': 'x',
      'roles/.keep': '',
    }),
    [],
  )
})

test('a folder with the name of a JSON file is reported as unreadable', async () => {
  const [first = ''] = await findingsOf({ 'entities/item.json/inner': 'x' })
  assert.match(first, /^entities\/item\.json:1:1 cannot be read: EISDIR/)
})

const settings: readonly [settings: object, errors: string[]][] = [
  [{ name: 'A', locale: 'de-AT', timeZone: 'Europe/Vienna' }, []],
  [{}, []],
  [{ timeZone: 'Mars' }, ['timeZone "Mars" is not an IANA time zone, such as "Europe/Zagreb"']],
  [
    { locale: 'german!' },
    ['locale "german!" is not a known language tag, such as "de" or "de-AT"'],
  ],
  [
    { locale: 'deutsch' },
    ['locale "deutsch" is not a known language tag, such as "de" or "de-AT"'],
  ],
  [{ locale: 'de-XX' }, ['locale "de-XX" is not a known language tag, such as "de" or "de-AT"']],
  [{ locale: 'zh-Hant-TW' }, []],
  [{ timezone: 'UTC' }, ['timezone is not a known property; did you mean "timeZone"?']],
  [{ name: '' }, ['name must not be empty']],
]
for (const [value, errors] of settings)
  test(`docket.json ${JSON.stringify(value)} has ${errors.length} findings`, async () => {
    assert.deepEqual(
      await findingsOf({ 'docket.json': value }),
      errors.map((issue) => `docket.json:1:2 ${issue}`),
    )
  })

test('a trailing comma is reported with its place', async () => {
  assert.deepEqual(
    await findingsOf({ 'entities/item.json': '{ "key": "item",\n  "fields": [1,  ],\n}' }),
    [
      'entities/item.json:2:15 is a trailing comma; remove it',
      'entities/item.json:2:19 is a trailing comma; remove it',
    ],
  )
})

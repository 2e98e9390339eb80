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

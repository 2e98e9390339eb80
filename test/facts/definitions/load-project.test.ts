/** Findings of `docket check` in whole projects: each has its place, and none hides another. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { findMissingTexts } from '../../../src/definitions/translations/missing-texts.ts'
import { findingsOf, load } from '../../support/definitions/a-project.ts'
import { entityFile, namedRole } from '../../support/definitions/files.ts'
import { translatedProject } from '../../support/translations/a-translated-project.ts'

const item = { key: 'item', fields: [{ key: 'name', type: 'string' }] }

test('the example project has no findings, and all texts in its languages', async () => {
  const directory = fileURLToPath(new URL('../../../example', import.meta.url))
  const { project, findings } = await loadProject(directory)
  assert.deepEqual(findings, [])
  assert.equal(project?.settings.name, 'Procurement')
  const texts = findMissingTexts(project)
  assert.deepEqual(texts.findings, [])
  assert.deepEqual(
    texts.coverage.map(({ language, missing }) => [language, missing]),
    [
      ['de', 0],
      ['hr', 0],
    ],
  )
})

test('a project with only docket.json has the native entities', async () => {
  const { project, findings } = await load({ 'docket.json': {} })
  assert.deepEqual(findings, [])
  assert.deepEqual([...(project?.catalog.entities.keys() ?? [])].sort(), [
    ...[
      'comment',
      'printable_document',
      'saved_view',
      'security_role',
      'task',
      'user',
      'user_group',
    ],
    'user_group_member',
    'user_role',
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

test('a fault in one file brings no findings in others, whatever these take from it', async () => {
  const customer = translatedProject['entities/customer.json']
  const files = {
    ...translatedProject,
    'docket.json': {
      ...translatedProject['docket.json'],
      signIn: { secondFactorFor: ['clerk'] },
    },
    'entities/order.json': {
      ...translatedProject['entities/order.json'],
      comments: { internal: true },
    },
    'entities/country.json': { key: 'country', fields: [{ key: 'currency', type: 'string' }] },
    'entities/customer.json': {
      ...customer,
      fields: [
        ...customer.fields,
        { key: 'country', type: 'manyToOne', entity: 'country' },
        { key: 'orders', type: 'oneToMany', entity: 'order', mappedBy: 'customer' },
        { key: 'weight', type: 'bigint', rollup: { sum: 'orders.weight' } },
        { key: 'limit', type: 'integer', unit: { field: 'country.currency' } },
      ],
    },
    'entities/visit.json': {
      key: 'visit',
      fields: [
        {
          key: 'customer',
          type: 'manyToOne',
          entity: 'customer',
          default: { $caller: 'home' },
        },
      ],
      exportSettings: { columnDefs: [{ field: 'customer.country.currency' }] },
    },
    ...entityFile('user', { extends: 'native' }, [
      { key: 'home', type: 'manyToOne', entity: 'customer' },
    ]),
    ...namedRole('Clerk', {
      order: {
        read: true,
        update: true,
        comments: true,
        internalComments: true,
        hiddenFields: ['secret'],
        actions: ['submit'],
        conditions: { update: { weight: { $lt: 5 } } },
      },
      customer: { read: true },
      user: { read: true, hiddenFields: ['home'] },
    }),
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

test('besides a fault, other faults are found as before, with suggestions', async () => {
  const order = {
    key: 'order',
    fields: [{ key: 'item', type: 'manyToOne', entity: 'itme' }],
    exportSettings: { columnDefs: [{ field: 'itm.name' }] },
  }
  const found = await findingsOf({
    'entities/item.json': { ...item, ownership: 'yes' },
    'entities/order.json': order,
    'roles/clerk.json': { key: 'clerk', permissions: { itme: { read: true } } },
  })
  assert.deepEqual(
    found.map((line) => line.replace(/:1:\d+/, '')),
    [
      'entities/item.json ownership must be true or false, not a string',
      'entities/order.json fields[0].entity there is no entity "itme"; did you mean "item"?',
      'entities/order.json exportSettings.columnDefs[0].field "itm" is not an association of order; did you mean "item"?',
      'roles/clerk.json permissions.itme there is no entity "itme"; did you mean "item"?',
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
test('malformed JSON is reported where it stops being JSON', async () => {
  for (const [text, place, issue] of malformed) {
    const [first] = await findingsOf({ 'entities/item.json': text })
    assert.equal(first, `entities/item.json:${place} is not valid JSON here: ${issue}`)
  }
})

test('duplicate properties, unknown ones and commas too many are found at their places', async () => {
  const texts = {
    twice: '{ "key": "twice",\n"fields": [{ "key": "a", "type": "text",\n  "key": "b" }] }',
    unknown: '{ "key": "unknown", "fields": [], "__proto__": { "ownership": true } }',
    comma: '{ "key": "comma",\n  "fields": [1,  ],\n}',
  }
  const files = Object.entries(texts).map(([key, text]) => [`entities/${key}.json`, text])
  assert.deepEqual(await findingsOf(Object.fromEntries(files)), [
    'entities/comma.json:2:15 is a trailing comma; remove it',
    'entities/comma.json:2:19 is a trailing comma; remove it',
    'entities/twice.json:3:3 fields[0].key is a duplicate property; the first one would be lost',
    'entities/unknown.json:1:35 __proto__ is not a known property',
  ])
})

test('a byte order mark is accepted', async () => {
  assert.deepEqual(await findingsOf({ 'entities/item.json': `\uFEFF${JSON.stringify(item)}` }), [])
})

test('a file without a JSON object is an error', async () => {
  const kinds = { null: 'null', '[]': 'an array', '5': 'a number', '"item"': 'a string' }
  const files = ['docket.json', 'entities/item.json', 'roles/clerk.json']
  for (const [text, kind] of Object.entries(kinds))
    assert.deepEqual(
      (await findingsOf(Object.fromEntries(files.map((file) => [file, text])))).sort(),
      files.map((file) => `${file}:1:1 must be an object, not ${kind}`),
    )
})

test('the name of a file must equal its key, which one file alone defines', async () => {
  assert.deepEqual(
    await findingsOf({
      'entities/item.json': item,
      'entities/thing.json': item,
      'roles/boss.json': { key: 'clerk', permissions: {} },
    }),
    [
      'entities/thing.json:1:2 key is "item" but the file is named thing.json; use the same name for both',
      'roles/boss.json:1:2 key is "clerk" but the file is named boss.json; use the same name for both',
      'entities/thing.json:1:2 key "item" is defined twice',
    ],
  )
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

test('docket.json has a known language, time zone and ways of signing in', async () => {
  const unknown = (locale: string) =>
    `locale "${locale}" is not a known language tag, such as "de" or "de-AT"`
  const settings: readonly [settings: object, issue?: string][] = [
    [{ name: 'A', locale: 'de-AT', timeZone: 'Europe/Vienna' }],
    [{}],
    [{ timeZone: 'Mars' }, 'timeZone "Mars" is not an IANA time zone, such as "Europe/Zagreb"'],
    ...['german!', 'deutsch', 'de-XX'].map((locale): [object, string] => [
      { locale },
      unknown(locale),
    ]),
    [{ locale: 'zh-Hant-TW' }],
    [{ timezone: 'UTC' }, 'timezone is not a known property; did you mean "timeZone"?'],
    [{ name: '' }, 'name must not be empty'],
    [{ signIn: { ways: ['password', 'passkey', 'code'] } }],
    [{ signIn: { ways: [] } }],
    [{ signIn: {} }],
    [{ signIn: { secondFactorFor: ['administrator'] } }],
  ]
  for (const [value, issue] of settings)
    assert.deepEqual(
      await findingsOf({ 'docket.json': value }),
      issue === undefined ? [] : [`docket.json:1:2 ${issue}`],
    )
  for (const [ways, issue] of [
    [['pasword'], /^docket\.json:1:20 signIn\.ways\[0\] .*did you mean "password"/],
    [['code', 'code'], /^docket\.json:1:\d+ signIn\.ways /],
  ] as const)
    assert.match((await findingsOf({ 'docket.json': { signIn: { ways } } })).join('\n'), issue)
})

test('docket.json names roles that need a second factor, which exist', async () => {
  const secondFactorFor = ['administrator', 'administratr']
  assert.deepEqual(await findingsOf({ 'docket.json': { signIn: { secondFactorFor } } }), [
    'docket.json:1:47 signIn.secondFactorFor[1] there is no role "administratr"; did you mean "administrator"?',
  ])
})

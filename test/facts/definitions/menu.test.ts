/** The menu of a project: what the check says of it, and the order that it gives. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLanguages } from '../../../src/definitions/translations/languages.ts'
import { findMissingTexts } from '../../../src/definitions/translations/missing-texts.ts'
import { findingsOf, load } from '../../support/definitions/a-project.ts'

const entity = (key: string, pluralName?: string) => ({
  [`entities/${key}.json`]: { key, ...(pluralName && { pluralName }), fields: [] },
})
const entities = { ...entity('order'), ...entity('customer'), ...entity('item') }

const issuesOf = async (menu: object, files: object = entities): Promise<string[]> =>
  (await findingsOf({ ...files, 'docket.json': { menu } })).map((line) =>
    line.replace(/^docket\.json:\S+ /, ''),
  )

test('a menu names entities that exist, each once', async () => {
  const group = (key: string, ...entities: string[]) => ({ key, entities })
  const order = group('a', 'order')
  const twice = ['menu.groups[0].entities[1]', 'menu.groups[1].entities[0]', 'menu.hidden[0]']
  const cases: readonly (readonly [menu: object, ...issues: string[]])[] = [
    [{}],
    [{ groups: [group('a', 'order', 'user')], hidden: ['item', 'task'] }],
    [
      { groups: [group('a', 'ordr')], hidden: ['itm'] },
      'menu.groups[0].entities[0] there is no entity "ordr"; did you mean "order"?',
      'menu.hidden[0] there is no entity "itm"; did you mean "item"?',
    ],
    [
      { groups: [group('a', 'order', 'order'), group('b', 'order')], hidden: ['order'] },
      ...twice.map((path) => `${path} "order" is listed twice; an entity has one place`),
    ],
    [{ groups: [group('a')] }, 'menu.groups[0].entities must not be empty'],
    [{ groups: [{ ...order, name: '' }] }, 'menu.groups[0].name must not be empty'],
    [
      { groups: [order, group('a', 'item')] },
      'menu.groups[1].key "a" is the key of another group too',
    ],
    [
      { groups: [{ ...order, name: 'Da\nily' }] },
      'menu.groups[0].name contains a tab or a line break at position 2; use a single line',
    ],
    [{ group: [] }, 'menu.group is not a known property; did you mean "groups"?'],
  ]
  for (const [menu, ...issues] of cases) assert.deepEqual(await issuesOf(menu), issues)
})

test('an entity whose file has errors is not unknown too', async () => {
  const files = { ...entities, 'entities/order.json': { key: 'order', fields: [{}] } }
  const found = await issuesOf({ hidden: ['order'] }, files)
  assert.deepEqual(
    found.filter((line) => line.startsWith('menu')),
    [],
  )
})

test('a group that has no title in a language is reported with the texts that it lacks', async () => {
  const menu = {
    groups: [
      { key: 'a', name: 'Daily', entities: ['order'] },
      { key: 'b', entities: ['item'] },
    ],
  }
  const { project } = await load({
    ...entities,
    'docket.json': { menu },
    'translations/fr.json': {},
  })
  assert.ok(project)
  const [finding] = findMissingTexts(project).findings
  assert.match(finding?.message ?? '', /: menu\.a, entities\./)
})

test('without a menu entities are in the alphabetical order of what people call several of them', async () => {
  const named = {
    ...entity('a', 'Zoll'),
    ...entity('b', 'Äpfel'),
    ...entity('c', 'äpfel 10'),
    ...entity('d', 'Äpfel 9'),
    ...entity('e', 'Birnen'),
  }
  const { project } = await load({ ...named, 'docket.json': { language: 'de' } })
  assert.ok(project)
  const { catalog, menu } = createLanguages(project).choose([])
  const own = [...catalog.entities.values()].filter(({ isNative }) => !isNative)
  assert.deepEqual(
    menu.sort(own).map(({ pluralName }) => pluralName),
    ['Äpfel', 'Äpfel 9', 'äpfel 10', 'Birnen', 'Zoll'],
  )
})

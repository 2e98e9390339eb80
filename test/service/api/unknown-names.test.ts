/** Entities and fields that a role must not know are named by no answer to it, and no unit leads to them. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addUser, createAs } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { entityFile, link, roleFile } from '../../support/definitions/files.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { startTestService } from '../../support/service.ts'

const files = {
  ...entityFile('contract', { name: 'Contract' }, [
    { key: 'number', type: 'string' },
    { key: 'zq_code', type: 'string' },
    ...[link('vault', 'zq_vault'), link('twin', 'contract')],
    { key: 'zq_items', type: 'oneToMany', entity: 'item', mappedBy: 'contract' },
    { key: 'parts', type: 'oneToMany', entity: 'part', mappedBy: 'zq_of' },
    { key: 'vaults', type: 'oneToMany', entity: 'zq_vault', mappedBy: 'contract' },
    { key: 'items', type: 'integer', rollup: { count: 'zq_items' } },
  ]),
  'entities/item.json': { key: 'item', fields: [link('contract', 'contract')] },
  'entities/part.json': { key: 'part', fields: [link('zq_of', 'contract')] },
  'entities/zq_vault.json': {
    key: 'zq_vault',
    name: 'Vault zq_',
    hooks,
    fields: [link('contract', 'contract')],
    notifications: [{ operation: 'create', recipient: { userFields: ['_created_by'] } }],
  },
  ...entityFile('offer', [
    { key: 'own_code', type: 'string' },
    { key: 'weight', type: 'integer', unit: 'kg' },
    { key: 'price', type: 'decimal', unit: { field: 'contract.number' } },
    { key: 'cost', type: 'decimal', unit: { field: 'own_code' } },
    link('contract', 'contract'),
  ]),
  ...roleFile('limited', { offer: { read: true, hiddenFields: ['own_code'] } }),
  ...roleFile('clerk', {
    offer: { read: true },
    contract: { create: true, read: true, update: true, hiddenFields: ['zq_code', 'zq_items'] },
    item: { read: true },
    part: { read: true, hiddenFields: ['zq_of'] },
  }),
}

const as = 'clerk@example.com'
const service = opened(() => startTestService(files))
before(async () => {
  for (const email of [as, 'limited@example.com']) await addUser(service.database, email)
  await createAs(service, 'contract', { number: 'a' })
  await createAs(service, 'printable_document', {
    code: 'zq_sheet',
    name: 'Sheet',
    entity_key: 'zq_vault',
    template_source: 'x',
  })
  await createAs(service, 'printable_document', {
    code: 'sheet',
    name: 'Sheet',
    entity_key: 'contract',
    template_source: '#let data = json("data.json")\n#repr(data.labels)',
  })
})

const search = ($where: object) => ['POST', '/contract/search', { $where }] as const
/** Requests, and words of the caller themselves that the answer repeats. */
const requests: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '/contract', { vault: 1 }],
  ['POST', '/contract', { parts: 1 }],
  ['POST', '/contract', { vaults: 1 }],
  ['PATCH', '/contract/1', { vault: 1 }],
  search({ vault_id: { $eq: { $field: 'twin_id' } } }),
  search({ vault_id: { $eq: { $field: 'number' } } }),
  search({ 'vault.number': 1 }),
  ['POST', '/contract/search', { $select: ['vault.number'] }],
  ['POST', '/contract', { vault_id: 99 }],
  ['GET', '/contract?include=vault'],
  ['GET', '/contract?sort=vault.number'],
  ['GET', '/contract/1/documents/zqsheet'],
  ['GET', '/contract/1/documents'],
  ['GET', '/api/notifications/preferences'],
  ['GET', '/api/entities'],
  ['GET', '/api/entities/contract'],
  ['GET', '/api/openapi.json'],
]
test('no answer names what is hidden', async () => {
  for (const [method, path, body] of requests) {
    const { status, text } = await service.ask(method, path, { as, body })
    assert.ok(status < 500)
    assert.doesNotMatch(text, /zq_/)
  }
})

// What a hidden name is answered with is what an unknown one is answered with.
const alike: readonly (readonly [
  hidden: string,
  unknown: string,
  request: (name: string) => readonly [string, string, object?],
])[] = [
  ['zq_items', 'zq_itemz', (name) => ['POST', '/contract', { [name]: 1 }]],
  ['zq_items', 'zq_itemz', (name) => search({ [name]: 1 })],
  ['zq_items', 'zq_itemz', (name) => search({ [`${name}.x`]: 1 })],
  ['zq_sheet', 'zq_sheep', (name) => ['GET', `/contract/1/documents/${name}`]],
]
test('what is hidden is answered like what does not exist', async () => {
  for (const [hidden, unknown, request] of alike) {
    const answers = []
    for (const name of [hidden, unknown]) {
      const [method, path, body] = request(name)
      const { status, text } = await service.ask(method, path, { as, body })
      const { requestId, ...problem } = JSON.parse(text)
      answers.push([status, JSON.stringify(problem).replaceAll(name, 'NAME')])
    }
    assert.deepEqual(answers[0], answers[1])
  }
})

test('a unit is told to who may read its path; others learn that there is one', async () => {
  const unitsFor = async (role?: string) => {
    const caller = role && `${role}@example.com`
    const { fields }: { fields: { key: string; unit?: unknown }[] } = (
      await service.ask('GET', '/api/entities/offer', { as: caller })
    ).json()
    return Object.fromEntries(
      fields.flatMap(({ key, unit }) => (unit === undefined ? [] : [[key, unit]])),
    )
  }
  const all = { weight: 'kg', price: { field: 'contract.number' }, cost: { field: 'own_code' } }
  for (const role of [undefined, 'clerk']) assert.deepEqual(await unitsFor(role), all)
  assert.deepEqual(await unitsFor('limited'), { weight: 'kg', price: null, cost: null })
})

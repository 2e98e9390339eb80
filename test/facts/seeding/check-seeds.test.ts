/** `docket check` checks the printable documents and user groups of seeds, and the rules that name them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { hooks } from '../../support/notifications/an-engine-project.ts'
import { type ProjectFiles, writeProject } from '../../support/service.ts'

const notifying = (...notifications: object[]) => ({
  key: 'order',
  fields: [{ key: 'number', type: 'string' }],
  hooks,
  notifications: notifications.map((one) => ({ operation: 'create', ...one })),
})
const order = (...printableDocuments: string[]) =>
  notifying({ recipient: { userFields: ['_created_by'] }, attachments: { printableDocuments } })
const offer = { code: 'offer', name: 'Offer', entity_key: 'order', template_file: 'offer.typ' }

/** What it prints of a project, without the places of rules. */
const check = async (files: ProjectFiles) => {
  const directory = await writeProject(files)
  const { code, out } = await callDocket(['check', '--project', directory])
  const lines = out.trimEnd().split('\n')
  return { code, lines: lines.map((line) => line.replace(/order\.json:\d+:\d+/, 'order.json')) }
}

for (const [what, files] of [
  [
    'whose template file exists',
    {
      'seed/01-printable_document.json': [offer, { ...offer, code: 'b', template_file: null }],
      'printable-documents/offer.typ': '= Offer',
    },
  ],
  [
    'of a CSV file',
    {
      'seed/01-printable_document.csv':
        'code,name,entity_key,template_file,template_source\noffer,Offer,order,,= Offer\n',
    },
  ],
] as const)
  test(`a seeded document ${what} is valid`, async () => {
    const { code, lines } = await check({ 'entities/order.json': order('offer'), ...files })
    assert.deepEqual([code, lines.length], [0, 1])
  })

test('an unknown template file and an unknown entity are reported with their places', async () => {
  const seeds = [{ ...offer, entity_key: 'ordr', template_file: 'ofer.typ' }]
  const found = await check({
    'entities/order.json': order(),
    'seed/01-printable_document.json': JSON.stringify(seeds, undefined, 2),
    'printable-documents/offer.typ': '= Offer',
  })
  const file = 'seed/01-printable_document.json'
  assert.deepEqual(found, {
    code: 3,
    lines: [
      `${file}:6:5 [0].template_file there is no file printable-documents/ofer.typ; did you mean "offer.typ"?`,
      `${file}:5:5 [0].entity_key there is no entity "ordr"; did you mean "order"?`,
      '2 errors, 0 warnings.',
    ],
  })
})

test('scripts that no font of the project has, and files that are no usable fonts, are warnings', async () => {
  const { code, lines } = await check({
    'docket.json': { locale: 'th' },
    'entities/order.json': order(),
    'seed/01-printable_document.json': [
      { ...offer, template_file: null, template_source: 'Order ሀገር 😀' },
    ],
    'printable-documents/fonts/web.woff2': 'wOF2',
    'printable-documents/fonts/cut.ttf': 'none',
  })
  const expected = [
    /^printable-documents\/fonts\/cut\.ttf:1:1 warning: is no TrueType or OpenType/,
    /^printable-documents\/fonts\/web\.woff2:1:1 warning: .* convert it/,
    /^docket\.json:1:1 warning: locale documents are in the language.*no font of the document has Thai \(/,
    /warning: .*no font of the document has Ethiopic .*emoji \(/,
    /, 4 warnings\.$/,
  ]
  assert.deepEqual([code, lines.length], [0, expected.length])
  for (const [position, line] of expected.entries()) assert.match(lines[position] ?? '', line)
})

test('links and repeated values ignore the case of texts that are unique without it', async () => {
  const shelf = {
    key: 'shelf',
    fields: [
      { key: 'code', type: 'string', required: true, unique: 'ignoreCase' },
      { key: 'above', type: 'manyToOne', entity: 'shelf' },
    ],
  }
  const { lines } = await check({
    'entities/shelf.json': shelf,
    'seed/1-shelf.csv': 'code,above.code\nÄ-1,\nB,ä-1\n',
    'seed/2-shelf.csv': 'code,above.code\nC,b\nc,d\n',
  })
  assert.deepEqual(lines.slice(0, -1), [
    'seed/2-shelf.csv:3:1 code has the code of line 2',
    'seed/2-shelf.csv:3:3 warning: above.code no seed before it has a shelf with the code "d"; did you mean "b"?',
  ])
})

test('a rule that names a document that no seed has, or one of another entity, is a warning', async () => {
  const { code, lines } = await check({
    'entities/order.json': order('ofer', 'label', 'groups'),
    'seed/01-printable_document.json': [
      { ...offer, template_file: null, template_source: 'x' },
      { code: 'groups', name: 'Groups', entity_key: 'user_group', template_source: 'x' },
    ],
  })
  const at = 'entities/order.json warning: notifications[0].attachments.printableDocuments'
  assert.equal(code, 0)
  assert.deepEqual(lines.slice(0, -1), [
    `${at}[0] no seed has the printable document "ofer"; did you mean "offer"?`,
    `${at}[1] no seed has the printable document "label"; create its record before an e-mail needs it`,
    `${at}[2] the printable document "groups" is for user_group, not for order`,
  ])
})

test('a group that no seed has, and seeded members whose role may not read the entity, are warnings', async () => {
  const person = (name: string, role: string) => ({
    identity_provider_user_id: name,
    first_name: name,
    last_name: name,
    full_name: name,
    username: `${name}@example.com`,
    email: `${name}@example.com`,
    security_role: { key: role },
  })
  const user_group = { code: 'finance' }
  const { code, lines } = await check({
    'entities/order.json': notifying(
      { recipient: { userGroups: ['finance', 'finanse', 'other'] } },
      { recipient: { userGroups: ['finance'], skipRightsCheck: true } },
    ),
    'roles/reader.json': { key: 'reader', permissions: { order: { read: 'own' } } },
    'roles/outsider.json': { key: 'outsider', permissions: {} },
    'seed/01-user_group.json': [{ code: 'finance', name: 'Finance' }],
    'seed/02-user.json': [
      ...['anna', 'bob'].map((name) => person(name, 'outsider')),
      person('cleo', 'reader'),
      person('dora', 'administrator'),
    ],
    'seed/03-user_group_member.json': [
      { user_group, user: { email: 'anna@example.com' } },
      { user_group, user: { identity_provider_user_id: 'bob' } },
      { user_group, user: { email: 'cleo@example.com' } },
      { user_group, user: { email: 'dora@example.com' } },
    ],
  })
  const at = 'entities/order.json warning: notifications[0].recipient.userGroups'
  assert.equal(code, 0)
  assert.deepEqual(
    lines.filter((line) => line.includes('userGroups')),
    [
      `${at}[0] skips 2 seeded members of "finance": the role "outsider" may not read order; let it read, or set "skipRightsCheck"`,
      `${at}[1] no seed has the user group "finanse"; did you mean "finance"?`,
      `${at}[2] no seed has the user group "other"; until it is created, it has no recipients`,
    ],
  )
})

/** `docket check` checks the printable documents of seeds and the document codes of notification rules. */
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { type ProjectFiles, writeProject } from '../../support/service.ts'

const order = (...codes: string[]) => ({
  key: 'order',
  fields: [{ key: 'number', type: 'string' }],
  hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
  notifications: [
    {
      operation: 'create',
      recipient: { userFields: ['_created_by'] },
      attachments: { printableDocuments: codes },
    },
  ],
})
const offer = { code: 'offer', name: 'Offer', entity_key: 'order', template_file: 'offer.typ' }

const check = async (files: ProjectFiles) => {
  const directory = await writeProject(files)
  const { code, out } = await callDocket(['check', '--project', directory])
  await rm(directory, { recursive: true, force: true })
  const lines = out.trimEnd().split('\n')
  return { code, lines: lines.map((line) => line.replace(/order\.json:\d+:\d+/, 'order.json')) }
}
const at = 'entities/order.json warning: notifications[0].attachments.printableDocuments[0]'

test('a seeded document whose template file exists is valid', async () => {
  const { code, lines } = await check({
    'entities/order.json': order('offer'),
    'seed/01-printable_document.json': [offer, { ...offer, code: 'b', template_file: null }],
    'printable-documents/offer.typ': '= Offer',
  })
  assert.deepEqual([code, lines.length], [0, 1])
})

test('an unknown template file and an unknown entity are reported with their places', async () => {
  const { code, lines } = await check({
    'entities/order.json': order(),
    'seed/01-printable_document.json': JSON.stringify(
      [{ ...offer, entity_key: 'ordr', template_file: 'ofer.typ' }],
      undefined,
      2,
    ),
    'printable-documents/offer.typ': '= Offer',
  })
  assert.deepEqual(lines, [
    'seed/01-printable_document.json:6:5 [0].template_file there is no file printable-documents/ofer.typ; did you mean "offer.typ"?',
    'seed/01-printable_document.json:5:5 [0].entity_key there is no entity "ordr"; did you mean "order"?',
    '2 errors, 0 warnings.',
  ])
  assert.equal(code, 3)
})

test('documents of a CSV seed are checked too', async () => {
  const { code, lines } = await check({
    'entities/order.json': order('offer'),
    'seed/01-printable_document.csv':
      'code,name,entity_key,template_file,template_source\noffer,Offer,order,,= Offer\n',
  })
  assert.deepEqual([code, lines.length], [0, 1])
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
  assert.equal(code, 0)
  const what = (script: string) => new RegExp(`warning: .*no font of the document has ${script}`)
  const [first = '', second = '', language = '', document = '', summary] = lines
  assert.match(
    first,
    /^printable-documents\/fonts\/cut\.ttf:1:1 warning: is no TrueType or OpenType/,
  )
  assert.match(second, /^printable-documents\/fonts\/web\.woff2:1:1 warning: .* convert it/)
  assert.match(language, what('Thai \\('))
  assert.ok(language.startsWith('docket.json:1:1 warning: locale documents are in the language'))
  assert.match(document, what('Ethiopic .*emoji \\('))
  assert.match(summary ?? '', /, 4 warnings\.$/)
})

const warnings: readonly [code: string, message: string][] = [
  ['ofer', 'no seed has the printable document "ofer"; did you mean "offer"?'],
  [
    'label',
    'no seed has the printable document "label"; create its record before an e-mail needs it',
  ],
  ['groups', 'the printable document "groups" is for user_group, not for order'],
]
for (const [code, message] of warnings)
  test(`a document code causes the warning: ${message}`, async () => {
    const found = await check({
      'entities/order.json': order(code),
      'seed/01-printable_document.json': [
        { ...offer, template_file: null, template_source: 'x' },
        { code: 'groups', name: 'Groups', entity_key: 'user_group', template_source: 'x' },
      ],
    })
    assert.deepEqual([found.code, found.lines[0]], [0, `${at} ${message}`])
  })

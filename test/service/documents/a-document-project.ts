/** The project of the tests of records with other roles, templates and a language. Documents are requested by HTTP and parsed. */
import assert from 'node:assert/strict'
import { addUsers, createAs, projectFiles } from '../../support/a-project.ts'
import { entityFile, roleFiles } from '../../support/definitions/files.ts'
import { type ReadPdf, readPdf } from '../../support/documents/read-pdf.ts'
import {
  type ProjectFiles,
  shareService,
  startTestService,
  type TestService,
} from '../../support/service.ts'

/** Prints its data byte by byte in one line. `names` are the lists and links that it needs. */
export const mirror = (...names: readonly string[]): string =>
  `#set page(width: auto, height: auto)
#array(read("data.json", encoding: none)).map(byte => str(byte)).join(" ")
// ${names.join(' ')}`

const everyField = [
  ...['number', 'group', 'notes', 'contact', 'quantity', 'serial', 'total', 'rate', 'extra'],
  ...['is_urgent', 'needed_by', 'placed_at', 'urgency', 'supplier', 'follows', 'margin', 'lines'],
  ...['_is_deleted', '_created_by', '_updated_by', '_created_at', '_updated_at', '_owned_by'],
]
const write = { create: true, update: true }
const permissions = {
  // Some fields of records, of entries and of linked records are hidden.
  buyer: {
    order: { read: true, hiddenFields: ['margin', 'number', 'urgency', '_created_by'] },
    order_line: { read: true, hiddenFields: ['cost'] },
    supplier: { read: true, hiddenFields: ['name'] },
    country: { read: true },
  },
  // Only its own records, and users without their addresses.
  clerk: {
    order: { read: true },
    order_line: { ...write, read: 'own' },
    supplier: { ...write, read: 'own' },
    user: { read: true, hiddenFields: ['email'] },
    report: { read: true, hiddenFields: ['photos'] },
  },
  // Neither lists nor links: one is hidden, one is of an entity that it may not read.
  registrar: { order: { read: true }, supplier: { read: true } },
  nobody: {
    order: { read: true, hiddenFields: everyField },
    order_line: { read: true, hiddenFields: ['order'] },
  },
}

const files: ProjectFiles = {
  'docket.json': {
    name: 'Documents',
    timeZone: 'Pacific/Kiritimati',
    locale: 'de-AT',
    language: 'en',
  },
  'translations/de.json': {
    entities: {
      order: { name: 'Bestellung', fields: { urgency: { values: { high: 'Hoch' } } } },
      product: { fields: { unit: { values: { piece: 'Stück' } } }, steps: { draft: 'Entwurf' } },
    },
  },
  ...entityFile('note', { displayField: 'name' }, [{ key: 'name', type: 'string' }]),
  'entities/product.json': {
    key: 'product',
    fields: [
      { key: 'name', name: 'Product name', type: 'string' },
      { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
      { key: 'unit', type: 'enum', values: [{ value: 'piece', name: 'pieces' }, 'kg'] },
    ],
    workflow: { initialStep: 'draft', steps: [{ key: 'draft', name: 'Draft', final: true }] },
  },
  ...entityFile('order_line', { name: 'Line of an order' }, [
    { key: 'order', type: 'manyToOne', entity: 'order', required: true },
    { key: 'position', name: 'Pos.', type: 'integer', required: true },
    { key: 'product', type: 'manyToOne', entity: 'product' },
    { key: 'amount', type: 'decimal', precision: 40, scale: 20 },
    { key: 'cost', type: 'decimal' },
    { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
    { key: 'state', type: 'enum', values: [{ value: 'open', name: 'Open' }] },
  ]),
  ...roleFiles(permissions),
}

const templates = {
  'order.typ':
    '#set document(title: json("data.json").record.number)\n= Order #json("data.json").record.number',
  // What templates make of the data.
  'all.typ': mirror('lines', 'product', 'country', 'supplier', 'created_by'),
  'choices.typ': mirror('lines', 'order', 'order_line', 'product'),
  'plain.typ': mirror(),
  'by-import.typ': `#import "parts/one.typ": *\n${mirror()}`,
  'parts/one.typ': '#import "two.typ": *',
  'parts/two.typ': '#let amounts(record) = record.lines.map(line => line.amount)',
  'count.typ': '#json("data.json").record.lines.len() lines',
  'text.typ': '#let record = json("data.json").record\n#record.notes',
  'numbers.typ':
    '#let record = json("data.json").record\n#record.lines.map(it => decimal(it.amount)).sum()',
  'margin.typ': '= Margin\n#json("data.json").record.margin',
  // Wrong ones.
  'wrong.typ': '\n#import "parts/sum.typ": sum\n#sum("x")',
  'parts/sum.typ': '#let sum(x) = {\n  x + 1\n}',
  'twice-wrong.typ': '#let = 1\n\n  #(',
}

const byFile = [
  ...['order', 'all', 'plain', 'by-import', 'count', 'text', 'numbers', 'wrong', 'twice-wrong'],
  ...['margin', 'choices'],
]

const documents = [
  ...byFile.map((code) => ({ code, entity_key: 'order', template_file: `${code}.typ` })),
  { code: 'note', entity_key: 'note', template_source: 'Note' },
  { code: 'both', entity_key: 'order', template_file: 'order.typ', template_source: '#nothing' },
  { code: 'a/b & č?', entity_key: 'order', template_source: 'Odd code' },
  { code: 'missing', entity_key: 'order', template_file: 'oder.typ' },
  { code: 'by-link', entity_key: 'order', template_file: 'link.typ' },
  { code: 'long', entity_key: 'order', template_source: '#for _ in range(20) [#pagebreak()]' },
  {
    code: 'longest',
    entity_key: 'order',
    template_source: '#for i in range(120) [#i #pagebreak()]',
  },
  { code: 'of-supplier', entity_key: 'supplier', template_source: 'Supplier' },
  { code: 'supplier', entity_key: 'supplier', template_source: mirror() },
  {
    code: 'photos',
    entity_key: 'report',
    template_source: `#import "/docket.typ": picture
#let record = json("data.json").record
#for one in record.at("photos", default: ()) [#one.filename #context measure(picture(one, width: 9pt)).width.pt();]`,
  },
  { code: 'scripts', entity_key: 'order', template_source: 'ไทย 😀 \u1200 Order' },
  { code: 'source', entity_key: 'order', template_source: 'By source\n#nothing' },
  { code: 'neither', entity_key: 'order' },
  { code: 'outside', entity_key: 'order', template_file: '../entities/order.json' },
  { code: 'absolute', entity_key: 'order', template_file: '/etc/passwd' },
]

// Rendered without the service of HTTP.
const sources = {
  endless: '#for a in range(1000000) { for b in range(1000000) { let c = a + b } }',
  bomb: '#for a in range(100000000) [a]',
  breaks: '#('.repeat(200_000),
  thai: 'ก and #("\u{1F600}")',
  today: '#datetime.today().display()',
  actor: '#let (record, actor) = json("data.json")\n#record.margin #repr(actor)',
}

/** The service of all files. */
export const shareDocuments = shareService(async () => {
  const texts = Object.entries(templates).map(([path, text]) => [
    `printable-documents/${path}`,
    text,
  ])
  const project = { ...projectFiles, ...Object.fromEntries(texts), ...files }
  // The speed of the machine ends no document.
  const patient = { DOCUMENTS_TIMEOUT_SECONDS: '200' }
  const service = await startTestService(project, patient)
  await addUsers(service.database)
  const bySource = Object.entries(sources).map(([code, template_source]) => ({
    code,
    entity_key: 'order',
    template_source,
  }))
  for (const document of [...documents, ...bySource])
    await createAs(service, 'printable_document', { name: document.code, ...document })
  return service
})

export type PrintedReply = {
  readonly status: number
  readonly headers: Headers
  /** The parsed PDF. Fails when the response is not a PDF. */
  readonly pdf: () => Promise<ReadPdf>
  /** The problem. Fails when the response is not a problem. */
  readonly problem: () => ReturnType<typeof JSON.parse>
}

/** Requests a path as a user; by default as the administrator; null: without a token. */
export const askFor = async (
  service: TestService,
  path: string,
  as?: string | null,
): Promise<PrintedReply> => {
  const token = as === null ? undefined : await service.tokenOf(as)
  const response = await fetch(`${service.url}${path}`, {
    headers: { ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
  })
  const { status, headers } = response
  const bytes = await response.bytes()
  const text = () => new TextDecoder().decode(bytes)
  return {
    status,
    headers,
    pdf: async () => {
      assert.equal(headers.get('content-type'), 'application/pdf', text())
      return readPdf(bytes)
    },
    problem: () => {
      assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
      return JSON.parse(text())
    },
  }
}

/** The data that a document with the template of `mirror` received. */
export const dataOf = async (service: TestService, path: string, as?: string) => {
  const { pages } = await (await askFor(service, path, as)).pdf()
  return JSON.parse(Buffer.from(pages.join().split(/\s/).map(Number)).toString())
}

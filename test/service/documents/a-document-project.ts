/** The project of the tests of records, with templates. Documents are requested by HTTP and parsed. */
import assert from 'node:assert/strict'
import { addUsers, createAs, projectFiles } from '../../support/a-project.ts'
import { type ReadPdf, readPdf } from '../../support/documents/read-pdf.ts'
import {
  type ProjectFiles,
  shareService,
  startTestService,
  type TestService,
  writeProject,
} from '../../support/service.ts'

/** Prints its data byte by byte in one line. `names` are the lists and links that it needs. */
export const mirror = (...names: readonly string[]): string =>
  `#set page(width: auto, height: auto)
#array(read("data.json", encoding: none)).map(byte => str(byte)).join(" ")
// ${names.join(' ')}`

/** Starts the project with these files of `printable-documents`, its users, and printable documents. */
export const startDocumentProject = async (
  templates: Readonly<Record<string, string>>,
  documents: readonly Readonly<Record<string, unknown>>[],
  more: ProjectFiles = {},
): Promise<TestService> => {
  const files = Object.entries(templates).map(([path, text]) => [
    `printable-documents/${path}`,
    text,
  ])
  const directory = await writeProject({ ...projectFiles, ...Object.fromEntries(files), ...more })
  const service = await startTestService(directory)
  await addUsers(service.database)
  for (const document of documents)
    await createAs(service, 'printable_document', { name: String(document.code), ...document })
  return service
}

const entities: ProjectFiles = {
  'entities/note.json': {
    key: 'note',
    displayField: 'name',
    fields: [{ key: 'name', type: 'string' }],
  },
  'entities/product.json': {
    key: 'product',
    fields: [
      { key: 'name', name: 'Product name', type: 'string' },
      { key: 'supplier', type: 'manyToOne', entity: 'supplier' },
    ],
  },
  'entities/order_line.json': {
    key: 'order_line',
    name: 'Line of an order',
    fields: [
      { key: 'order', type: 'manyToOne', entity: 'order', required: true },
      { key: 'position', name: 'Pos.', type: 'integer', required: true },
      { key: 'product', type: 'manyToOne', entity: 'product' },
      { key: 'amount', type: 'decimal', precision: 40, scale: 20 },
    ],
  },
}

const templates = {
  'order.typ':
    '#set document(title: json("data.json").record.number)\n= Order #json("data.json").record.number',
  // What templates make of the data.
  'all.typ': mirror('lines', 'product', 'country', 'supplier'),
  'plain.typ': mirror(),
  'by-import.typ': `#import "parts/one.typ": *\n${mirror()}`,
  'parts/one.typ': '#import "two.typ": *',
  'parts/two.typ': '#let amounts(record) = record.lines.map(line => line.amount)',
  'count.typ': '#json("data.json").record.lines.len() lines',
  'text.typ': '#let record = json("data.json").record\n#record.notes',
  'numbers.typ':
    '#let record = json("data.json").record\n#record.lines.map(it => decimal(it.amount)).sum()',
  // Wrong ones.
  'wrong.typ': '\n#import "parts/sum.typ": sum\n#sum("x")',
  'parts/sum.typ': '#let sum(x) = {\n  x + 1\n}',
  'twice-wrong.typ': '#let = 1\n\n  #(',
}

const byFile = [
  ...['order', 'all', 'plain', 'by-import', 'count', 'text', 'numbers', 'wrong', 'twice-wrong'],
]

const documents = [
  ...byFile.map((code) => ({ code, entity_key: 'order', template_file: `${code}.typ` })),
  { code: 'note', entity_key: 'note', template_source: 'Note' },
  { code: 'both', entity_key: 'order', template_file: 'order.typ', template_source: '#nothing' },
  { code: 'a/b & č?', entity_key: 'order', template_source: 'Odd code' },
  { code: 'missing', entity_key: 'order', template_file: 'oder.typ' },
  { code: 'by-link', entity_key: 'order', template_file: 'link.typ' },
  { code: 'long', entity_key: 'order', template_source: '#for _ in range(20) [#pagebreak()]' },
  { code: 'of-supplier', entity_key: 'supplier', template_source: 'Supplier' },
  { code: 'scripts', entity_key: 'order', template_source: 'ไทย 😀 \u1200 Order' },
  { code: 'source', entity_key: 'order', template_source: 'By source\n#nothing' },
  { code: 'neither', entity_key: 'order' },
  { code: 'outside', entity_key: 'order', template_file: '../entities/order.json' },
  { code: 'absolute', entity_key: 'order', template_file: '/etc/passwd' },
]

/** The service of the files that need no other roles, settings or templates. */
export const shareDocuments = shareService(() =>
  startDocumentProject(templates, documents, entities),
)

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

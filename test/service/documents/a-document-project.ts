/** The project of the tests of records, with templates. Documents are requested by HTTP and parsed. */
import assert from 'node:assert/strict'
import { addUsers, createAs, projectFiles } from '../../support/a-project.ts'
import { type ReadPdf, readPdf } from '../../support/documents/read-pdf.ts'
import {
  type ProjectFiles,
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

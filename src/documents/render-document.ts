/**
 * Renders a printable document of a record: finds the document and its template, reads the data, makes
 * the PDF.
 */
import type { BlobStore } from '../blobs/blob-store.ts'
import type { Entity } from '../definitions/catalog.ts'
import { didYouMean } from '../did-you-mean.ts'
import { type ApiError, apiError } from '../errors.ts'
import { documentName } from '../http/file-name.ts'
import { shorten } from '../issues.ts'
import type { Observe } from '../observations.ts'
import { type Access, fullAccess, type RecordScope } from '../query/access.ts'
import { inSpan } from '../spans.ts'
import { type DataDeps, readDocumentData } from './document-data.ts'
import { findDocument, listCodes, type PrintableDocument } from './printable-document.ts'
import { withPictures } from './record-pictures.ts'
import { type TemplateFolder, templateFolderName } from './template-folder.ts'
import {
  type Diagnostic,
  type PdfEngine,
  RenderError,
  type Rendered,
  type Template,
} from './typst/engine.ts'

export type DocumentDeps = DataDeps & {
  readonly engine: PdfEngine
  readonly templates: TemplateFolder
  /** A BCP 47 tag. */
  readonly locale: string
  readonly observe: Observe
  /** Where the bytes of files of records are. */
  readonly blobs: BlobStore
}

type DocumentRequest = {
  readonly code: string
  /** The entity of the record; the document must belong to it. */
  readonly entity: Entity
  readonly id: number
  /** The user shown to the template as actor; null: none. */
  readonly actorId: number | null
  /** Whose permissions apply; without a reader the service's, which sees everything. */
  readonly reader?: DocumentReader
  /** Whether its pages are wanted as a picture too. */
  readonly withPicture?: boolean
}

/** The reader of a document: the fields, links and records that they may read. */
export type DocumentReader = {
  readonly access: Access
  readonly scope: RecordScope
  /** The reader; undefined for a document of several users who may read the same. */
  readonly userId: number | undefined
}

type MadeDocument = {
  readonly pdf: Uint8Array
  readonly filename: string
  readonly pages: number
  /** SVG; undefined if it was not asked for, or would have too many pages. */
  readonly picture: string | undefined
  /** The scripts that no font has: boxes are printed in their place. */
  readonly unprinted: readonly string[]
}

/** The PDF; throws document.unknown, record.unknown, document.invalid or request.saturated. */
export const renderDocument = (
  deps: DocumentDeps,
  request: DocumentRequest,
): Promise<MadeDocument> => {
  const { code, entity } = request
  const attributes = { 'docket.document': code, 'docket.entity': entity.key }
  return inSpan({ name: 'render document', kind: 'internal', attributes }, () =>
    findAndRender(deps, request),
  )
}

const findAndRender = async (
  deps: DocumentDeps,
  request: DocumentRequest,
): Promise<MadeDocument> => {
  const document = await getDocument(deps, request)
  const { template, rendered, filename } = await makeDocument(deps, request, document)
  if ('pdf' in rendered) {
    reportWarnings(deps, request, template, rendered.diagnostics)
    const { pdf, pages, picture } = rendered
    const unprinted = rendered.unprinted.map(({ script }) => script)
    return { pdf, filename, pages, picture, unprinted }
  }
  throw invalidTemplate(document.code, template, rendered.diagnostics)
}

const maxWarnings = 5

/** Warnings go to the log for the author of the template; the answer names the scripts that are not printed. */
const reportWarnings = (
  { observe }: DocumentDeps,
  { code, entity, id }: DocumentRequest,
  template: Template,
  diagnostics: readonly Diagnostic[],
): void => {
  const warnings = diagnostics
    .slice(0, maxWarnings)
    .map((one) => `${placeOf(one, template)} ${one.message}`)
  if (warnings.length > 0)
    observe({ kind: 'documentDoubtful', code, entity: entity.key, id, doubts: warnings })
}

/** The document of a code for an entity; throws an error that suggests the closest code. */
const getDocument = async (
  { pool }: DocumentDeps,
  { code, entity }: DocumentRequest,
): Promise<PrintableDocument> => {
  const document = await findDocument(pool, code)
  if (document?.entity_key === entity.key) return document
  // One of another entity is none: the caller may not know that entity.
  const shown = `"${shorten(code, 100)}" of ${entity.key}`
  const near = didYouMean(code.slice(0, 100), await listCodes(pool, entity))
  throw apiError('document.unknown', `There is no printable document ${shown}${near || '.'}`)
}

/** Renders a document; the result includes diagnostics for the template's author. */
export const makeDocument = async (
  deps: DocumentDeps,
  { entity, id, actorId, reader, withPicture = false }: Omit<DocumentRequest, 'code'>,
  document: PrintableDocument,
): Promise<{ template: Template; rendered: Rendered; filename: string }> => {
  const template = await templateOf(deps.templates, document)
  const generatedAt = new Date()
  const { json, title, fileIds } = await readDocumentData(deps, {
    entity,
    id,
    actorId,
    access: reader?.access ?? fullAccess,
    scope: reader?.scope ?? 'all',
    isActorReader: reader?.userId === actorId,
    names: namesIn(template),
    generatedAt,
  })
  const { locale, timeZone } = deps
  const data = { json, locale, timeZone, generatedAt, withPicture }
  const rendered = await withPictures(deps, fileIds, (pictures) =>
    deps.engine.render(template, { ...data, pictures }),
  ).catch((error: unknown) => {
    throw error instanceof RenderError ? unfinished(deps.observe, document, error) : error
  })
  return { template, rendered, filename: documentName(document.code, title, id) }
}

const templateOf = async (
  folder: TemplateFolder,
  { code, template_file: file, template_source: source }: PrintableDocument,
): Promise<Template> => {
  const { files, refused } = await folder.read()
  const refuse = (message: string) =>
    apiError(
      'document.invalid',
      `The document "${code}" ${message.endsWith('?') ? message : `${message}.`}`,
    )
  if (file === null) {
    if (source !== null) return { main: 'template_source', source, files }
    throw refuse('has neither a template_file nor a template_source')
  }
  // The name is looked up among the files and never joined to a path.
  if (files.has(file)) return { main: file, files }
  const why = refused.get(file)
  if (why !== undefined) throw refuse(`has the template_file "${file}", which ${why}`)
  const typ = [...files.keys()].filter((path) => path.endsWith('.typ'))
  throw refuse(
    `has no template: there is no file ${templateFolderName}/${file}${didYouMean(file, typ)}`,
  )
}

/** `order.typ:3:7 unknown variable: x`. */
const placeOf = ({ file, line, column }: Diagnostic, { main }: Template): string =>
  file === undefined ? main : `${file}:${line}:${column}`

const invalidTemplate = (
  code: string,
  template: Template,
  diagnostics: readonly Diagnostic[],
): ApiError => {
  const errors = diagnostics
    .filter(({ severity }) => severity === 'error')
    .map((one) => ({ path: placeOf(one, template), message: one.message }))
  const [first] = errors
  const detail = `The template of "${code}" is wrong: ${first?.path} ${first?.message}`
  return apiError('document.invalid', detail, { errors })
}

/** The engine ended without a result: exceeding a limit is an error of the template. */
const unfinished = (observe: Observe, { code }: PrintableDocument, error: RenderError): unknown => {
  const text = `The document "${code}" ${error.message}.`
  switch (error.reason) {
    case 'saturated':
    case 'stopped':
      return apiError('request.saturated', text, { headers: { 'Retry-After': '5' }, cause: error })
    case 'not-loaded':
      return new Error(text, { cause: error })
    case 'timed-out':
    case 'out-of-memory':
    case 'crashed':
      observe({ kind: 'documentEnded', code, reason: error.reason, text: error.message })
      return apiError('document.invalid', text, { cause: error })
  }
}

/** Possible names of fields; other words of the text are included, which does no harm. */
export const namesIn = ({ main, source, files }: Template): ReadonlySet<string> => {
  const texts = [source ?? textOf(files.get(main))]
  const others = new Map([...files].filter(([path]) => path.endsWith('.typ') && path !== main))
  for (const text of texts)
    for (const [path, bytes] of others)
      if (text.includes(path.slice(path.lastIndexOf('/') + 1))) {
        // The array grows during the loop, so imports of imports are included.
        texts.push(textOf(bytes))
        others.delete(path)
      }
  return new Set(texts.flatMap((text) => text.match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? []))
}

const textOf = (bytes: Uint8Array | undefined): string =>
  bytes === undefined ? '' : Buffer.from(bytes).toString('utf8')

const maxShown = 120

/** Several lines per issue, ready for a terminal. */
export const printDiagnostics = (diagnostics: readonly Diagnostic[], template: Template): string =>
  diagnostics.map((one) => `${printOne(one, template)}\n`).join('')

const printOne = (diagnostic: Diagnostic, template: Template): string => {
  const { severity, message } = diagnostic
  const head = `${placeOf(diagnostic, template)}: ${severity}: ${message}`
  const line = lineOf(diagnostic, template)
  return line === undefined ? head : `${head}\n${marked(line, diagnostic)}`
}

const lineOf = ({ file, line }: Diagnostic, template: Template): string | undefined => {
  if (file === undefined) return undefined
  const isSource = file === template.main && template.source !== undefined
  const bytes = template.files.get(file)
  const text = isSource ? template.source : bytes && Buffer.from(bytes).toString('utf8')
  return text?.split(/\r\n|\n|\r/)[line - 1]
}

/** The relevant part of a long line; keeps tabs, so that the caret is in the right column. */
const marked = (line: string, { line: number, column, endColumn }: Diagnostic): string => {
  const start = Math.max(0, column - 1 - maxShown / 2)
  const shown = line.slice(start, start + maxShown)
  const before = shown.slice(0, column - 1 - start).replaceAll(/[^\t]/g, ' ')
  const room = Math.max(1, shown.length - (column - 1 - start))
  const caret = '^'.repeat(Math.min(Math.max(1, endColumn - column), room))
  const margin = ' '.repeat(String(number).length)
  return `  ${number} | ${shown}\n  ${margin} | ${before}${caret}`
}

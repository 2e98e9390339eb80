/**
 * Checks the templates of a project without a database: parses each file, renders each document with sample data, and
 * finds what a template loses when texts are long.
 */
import { createPermissions } from '../auth/permissions.ts'
import type { Catalog, Entity } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import type { Project } from '../definitions/load-project.ts'
import type { Finding, Severity } from '../definitions/source-file.ts'
import { didYouMean } from '../did-you-mean.ts'
import { namesIn } from './render-document.ts'
import { makeLongData, makeSampleData, type SampleData } from './sample-data.ts'
import { templateFolderName } from './template-folder.ts'
import {
  type Diagnostic,
  type Mark,
  type PdfEngine,
  RenderError,
  type Rendered,
  type Template,
  type TemplateData,
  type TemplateFiles,
  unprintedText,
} from './typst/engine.ts'
import { fontFault } from './typst/fonts.ts'
import { createTypstEngine } from './typst/typst-engine.ts'

/** The fields whose values end outside of the page, each once. */
const lostFields = (
  marks: readonly Mark[],
  fields: ReadonlyMap<string, string>,
): ReadonlyMap<string, number> =>
  new Map(
    marks.flatMap(({ mark, page, x, y, width, height }) => {
      const field = fields.get(mark)
      const isLost = (height !== null && y > height) || (width !== null && x > width)
      return field !== undefined && isLost ? [[field, page] as const] : []
    }),
  )

/** A document in the seeds of a project, with its template. */
export type SeededDocument = {
  readonly entity: Entity
  /** A file of the folder, or the template itself. */
  readonly template: { readonly file: string } | { readonly source: string }
  /** Makes a finding at the document's place in the seed. */
  readonly finding: (message: string, severity: Severity) => Finding
}

type CheckContext = {
  readonly engine: PdfEngine
  readonly files: TemplateFiles
  readonly locale: string
}

// One process renders all templates one by one.
const limits = {
  maxProcesses: 1,
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitingPerCaller: Number.POSITIVE_INFINITY,
  timeoutMs: 10_000,
  memoryBytes: 2048 * 1_048_576,
  niceness: 0,
}
const generatedAt = new Date('2026-05-04T08:30:00.000Z')

/** Findings at the lines of the templates. Renders documents only when every file parses. */
export const checkTemplateFolder = async (
  { settings: { locale }, catalog }: Pick<Project, 'settings' | 'catalog'>,
  files: TemplateFiles,
  documents: readonly SeededDocument[],
): Promise<Finding[]> => {
  const engine = createTypstEngine({ timeZone: 'UTC', ...limits })
  const context: CheckContext = { engine, files, locale: locale ?? 'en' }
  const templates = [...files].filter(([path]) => path.endsWith('.typ'))
  try {
    const parsed = await Promise.all(
      templates.map(([path, bytes]) => parse(context, path, Buffer.from(bytes).toString('utf8'))),
    )
    const errors = parsed.flat()
    if (errors.length > 0) return errors
    const made = await Promise.all(documents.map((one) => make(context, catalog, one)))
    const language = documents.length > 0 ? await languageIssues(context) : []
    return withoutRepeats([...fontIssues(files), ...language, ...made.flat()])
  } finally {
    await engine.close()
  }
}

/** Files that look like fonts, and that no document can use. */
const fontIssues = (files: TemplateFiles): Finding[] =>
  [...files].flatMap(([path, bytes]) => {
    const fault = fontFault(path, bytes)
    return fault === undefined ? [] : [findingAt({ line: 1, column: 1 }, path, fault, 'warning')]
  })

/** Sample data is English; what people write in the language of the project has its letters. */
const languageIssues = async (context: CheckContext): Promise<Finding[]> => {
  const { locale } = context
  const months = new Intl.DateTimeFormat(locale, { month: 'long', weekday: 'long' })
  const names = Array.from({ length: 12 }, (_, month) => months.format(Date.UTC(2026, month, 1)))
  const text = [new Intl.DisplayNames(locale, { type: 'language' }).of(locale), ...names].join(' ')
  const source = `#json("data.json").text`
  const template = { main: 'template_source', source, files: context.files }
  const made = await render(context, template, { json: JSON.stringify({ text }) })
  if (!('pdf' in made) || made.unprinted.length === 0) return []
  const message = `documents are in the language of the locale "${locale}", and ${unprintedText(made.unprinted)}`
  return [{ file: 'docket.json', line: 1, column: 1, path: 'locale', message, severity: 'warning' }]
}

/** Ends evaluation immediately; syntax errors are reported before evaluation starts. */
const stop = '#panic("parsed")\n'

const parse = async (context: CheckContext, main: string, text: string): Promise<Finding[]> => {
  const template = { main, source: `${stop}${text}`, files: context.files }
  const { diagnostics } = await render(context, template, { json: '{}' })
  return diagnostics.flatMap((one) => {
    const isStop = one.line === 1 && one.message.includes('parsed')
    if (isStop || one.severity === 'warning' || one.file !== main) return []
    return [findingAt({ ...one, line: one.line - 1 }, main, one.message, 'error')]
  })
}

const make = async (
  context: CheckContext,
  catalog: Catalog,
  document: SeededDocument,
): Promise<Finding[]> => {
  const data = makeSampleData(catalog, document.entity)
  const made = await render(context, templateOf(context, document), { json: data.json })
  const { diagnostics } = made
  const boxes = 'pdf' in made ? unprintedText(made.unprinted) : undefined
  const lost = await lossesOf(context, catalog, document)
  const found = diagnostics.flatMap((one) => {
    // That a document is not PDF/A is reported in the log only, but not that it prints boxes.
    if (one.severity === 'warning' && one.file === undefined && one.message !== boxes) return []
    const { message, severity } = reading(one, data)
    return [placed(context, document, one, message, severity)]
  })
  const refused = 'pdf' in made ? await refusedRoles(context, catalog, document, data) : []
  return [...found, ...refused, ...lost]
}

/** At the template's line; of a template in a seed at its document. */
const placed = (
  { files }: CheckContext,
  { finding }: SeededDocument,
  one: Diagnostic,
  message: string,
  severity: Severity,
): Finding => {
  if (one.file !== undefined && files.has(one.file))
    return findingAt(one, one.file, message, severity)
  return finding(
    one.file === undefined ? message : `${one.line}:${one.column} ${message}`,
    severity,
  )
}

type View = { readonly role: string; readonly json: string }

/** The sample data as each role sees them that may read the records. */
const viewsOf = (catalog: Catalog, entity: Entity): readonly View[] => {
  const permissions = createPermissions(catalog)
  const { all, some } = permissions.readersOf(entity)
  return [...all, ...some.flatMap(({ roleKeys }) => roleKeys)]
    .filter((role) => role !== administratorRole)
    .map((role) => {
      const access = permissions.accessOf({ userId: 0, roleKey: role })
      return { role, json: makeSampleData(catalog, entity, { access }).json }
    })
}

/** The roles that may read the records, and whose view of them the template does not print: each error once. */
const refusedRoles = async (
  context: CheckContext,
  catalog: Catalog,
  document: SeededDocument,
  whole: SampleData,
): Promise<Finding[]> => {
  // Roles that see the same of what the template names are rendered once, and not at all if that is everything.
  const template = templateOf(context, document)
  const names = [...namesIn(template)]
  const namedIn = ({ json }: Pick<View, 'json'>) => JSON.stringify(JSON.parse(json), names)
  const byView = Map.groupBy(viewsOf(catalog, document.entity), namedIn)
  byView.delete(namedIn(whole))
  const found = new Map<string, { readonly one: Diagnostic; readonly roles: string[] }>()
  for (const [first, ...others] of byView.values()) {
    if (!first) continue
    const { diagnostics } = await render(context, template, { json: first.json })
    const one = diagnostics.find(({ severity }) => severity === 'error')
    if (!one) continue
    const roles = [first, ...others].map(({ role }) => role)
    const key = JSON.stringify(one)
    found.set(key, { one, roles: [...(found.get(key)?.roles ?? []), ...roles] })
  }
  return [...found.values()].map(({ one, roles: some }) => {
    const names = some.map((role) => `"${role}"`).join(', ')
    const message = `fails for the ${some.length === 1 ? 'role' : 'roles'} ${names}, which may not read all that it prints: ${one.message}; print it only if it is there`
    return placed(context, document, one, message, 'warning')
  })
}

const templateOf = ({ files }: CheckContext, { template }: SeededDocument): Template =>
  'file' in template
    ? { main: template.file, files }
    : { main: 'template_source', source: template.source, files }

/** What the document loses when texts are long; a template that fails with them alone has its findings already. */
const lossesOf = async (
  context: CheckContext,
  catalog: Catalog,
  document: SeededDocument,
): Promise<Finding[]> => {
  const { entity, template, finding } = document
  const { json, fields } = makeLongData(catalog, entity)
  const made = await render(context, templateOf(context, document), { json, withMarks: true })
  const lost = 'marks' in made ? lostFields(made.marks ?? [], fields) : new Map<string, number>()
  return [...lost].map(([field, page]) => {
    const message = `loses content: a long “${field}” ends outside of page ${page}; let its block break (breakable: true), without a fixed height or width`
    if ('source' in template) return finding(message, 'warning')
    const text = Buffer.from(context.files.get(template.file) ?? []).toString('utf8')
    return findingAt(placeIn(text, field), template.file, message, 'warning')
  })
}

/** Where a template names a field first; it may do so in a file that it imports. */
const placeIn = (
  text: string,
  field: string,
): { readonly line: number; readonly column: number } => {
  const name = field.slice(field.indexOf('.'))
  const at = Math.max(0, text.search(new RegExp(`\\${name}(?![\\w-])`)))
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
}

const render = async (
  { engine, locale }: CheckContext,
  template: Template,
  data: Pick<TemplateData, 'json' | 'withMarks'>,
): Promise<Rendered> => {
  try {
    return await engine.render(template, { ...data, locale, generatedAt })
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    const place = { file: template.main, line: 1, column: 1, endColumn: 1 }
    return { diagnostics: [{ severity: 'error', ...place, message: error.message }] }
  }
}

/** Errors that occur with any record; others may be caused by the sample data. */
const certainErrors: readonly RegExp[] = [
  /^unknown variable/,
  /^unresolved import/,
  /^there is no file/,
  /^packages cannot be imported/,
  /^files outside of/,
  /^timed out/,
]

const reading = (
  { message, severity }: Diagnostic,
  { names, isOpen }: SampleData,
): { readonly message: string; readonly severity: Severity } => {
  if (severity === 'warning') return { message, severity }
  const [, key] = /does not contain key "([^"]+)"/.exec(message) ?? []
  const isCertain = certainErrors.some((one) => one.test(message)) || (key !== undefined && !isOpen)
  return {
    message: `${message}${key === undefined ? '' : didYouMean(key, names)}${isCertain ? '' : ' (with sample data; try a real record with docket document)'}`,
    severity: isCertain ? 'error' : 'warning',
  }
}

const findingAt = (
  { line, column }: Pick<Diagnostic, 'line' | 'column'>,
  file: string,
  message: string,
  severity: Severity,
): Finding => ({ file: `${templateFolderName}/${file}`, line, column, path: '', message, severity })

/** Several documents may import one file. */
const withoutRepeats = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values(),
]

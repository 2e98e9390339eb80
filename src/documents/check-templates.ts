/**
 * Checks the templates of a project without a database: parses each file, renders each document with sample data, and
 * finds what a template loses when texts are long.
 */
import {
  type Catalog,
  type Column,
  type Entity,
  getEntity,
  languageOf,
} from '../definitions/catalog.ts'
import { isFileColumn } from '../definitions/files.ts'
import type { Project } from '../definitions/load-project.ts'
import type { Finding, Severity } from '../definitions/source-file.ts'
import { choicesOf } from '../definitions/value-names.ts'
import { isRequired } from '../definitions/values/field-defaults.ts'
import { didYouMean } from '../did-you-mean.ts'
import { answeredExampleOf, exampleOf } from '../http/openapi/example-value.ts'
import { templateFolderName } from './template-folder.ts'
import {
  type Diagnostic,
  type Mark,
  markOf,
  type PdfEngine,
  RenderError,
  type Rendered,
  type TemplateData,
  type TemplateFiles,
  unprintedText,
} from './typst/engine.ts'
import { fontFault } from './typst/fonts.ts'
import { createTypstEngine } from './typst/typst-engine.ts'

// As deep as a document follows links.
const maxDepth = 2

type SampleData = {
  /** The text of one JSON object. */
  readonly json: string
  /** Names of all members at every depth. */
  readonly names: ReadonlySet<string>
  /** Whether a field holds JSON, whose members are unknown. */
  readonly isOpen: boolean
}

/** A text in place of the example of a field; undefined: the example. */
type TextOf = (entity: Entity, column: Column) => string | undefined

type Making = {
  readonly catalog: Catalog
  readonly names: Set<string>
  readonly textOf: TextOf
  isOpen: boolean
}

/** A complete record with its links; each list has one entry. */
const makeSampleData = (
  catalog: Catalog,
  entity: Entity,
  textOf: TextOf = () => undefined,
): SampleData => {
  const making: Making = { catalog, names: new Set(), textOf, isOpen: false }
  const record = { ...withLinks(making, entity, maxDepth), ...listsOf(making, entity) }
  const labels = Object.fromEntries([...catalog.entities.values()].map(labelsOf))
  const choices = Object.fromEntries(
    [...catalog.entities.values()].map((one) => [one.key, choicesOf(one, () => true)]),
  )
  const data = {
    record,
    actor: valuesOf(making, getEntity(catalog, 'user')),
    entity: { key: entity.key, name: entity.name },
    generated_at: '2026-05-04T08:30:00.000Z',
    language: languageOf(catalog.locale),
    labels,
    choices,
  }
  for (const name of Object.keys(data)) making.names.add(name)
  return { json: JSON.stringify(data), names: making.names, isOpen: making.isOpen }
}

type Values = { readonly [name: string]: unknown }

const valuesOf = (making: Making, entity: Entity): Values =>
  Object.fromEntries(
    entity.columns.map((column) => {
      making.names.add(column.name)
      return [column.name, valueFor(making, entity, column)]
    }),
  )

const valueFor = (making: Making, entity: Entity, column: Column): unknown => {
  if (isFileColumn(column)) return answeredExampleOf(entity, column)
  if (!column.type.isStructured)
    return making.textOf(entity, column) ?? exampleOf(entity, column) ?? null
  making.isOpen = true
  return isRequired(column) ? {} : null
}

const withLinks = (making: Making, entity: Entity, depth: number, leftOut?: string): Values => {
  const links = [...entity.associations].filter(([key]) => key !== leftOut)
  return {
    ...valuesOf(making, entity),
    ...(depth === 0 ? {} : Object.fromEntries(links.map((link) => linked(making, link, depth)))),
  }
}

const linked = (making: Making, [key, column]: [string, Column], depth: number) => {
  const name = key.replace(/^_/, '')
  making.names.add(name)
  return [name, withLinks(making, getEntity(making.catalog, column.target ?? ''), depth - 1)]
}

const listsOf = (making: Making, entity: Entity): Values =>
  Object.fromEntries(
    [...entity.oneToMany].map(([key, { entity: target, mappedBy }]) => {
      making.names.add(key)
      return [key, [withLinks(making, getEntity(making.catalog, target), maxDepth, mappedBy)]]
    }),
  )

const labelsOf = ({ key, definition }: Entity) => [
  key,
  Object.fromEntries(definition.fields.map((field) => [field.key, field.name ?? field.key])),
]

// More than a page has, however small its letters are.
const lines = Array.from({ length: 200 }, (_, index) => `${index + 1}. This text goes on and on.`)
const pages = lines.join('\n')

/** As long as a name or a title is at most, unless its field says otherwise. */
const longestLine = 250

/** Sample data whose texts are as long as their fields allow; each ends with a mark of its field. */
const makeLongData = (catalog: Catalog, entity: Entity) => {
  const fields = new Map<string, string>()
  const longText = (owner: Entity, column: Column): string | undefined => {
    const { field, type, name, isSystem } = column
    const most = type.maxLength ?? 0
    const mark = markOf(fields.size)
    // What has a form, such as a number, is never long.
    const isFree = (field.type === 'string' || field.type === 'text') && !type.formRule && !isSystem
    if (!isFree || most <= mark.length || fields.size > 999) return undefined
    const path = `${owner.key}.${name}`
    const known = [...fields].find(([, one]) => one === path)?.[0] ?? mark
    fields.set(known, path)
    const room = Math.min(most, field.type === 'text' ? pages.length : longestLine) - mark.length
    const text = field.type === 'text' ? pages : lines.slice(0, 10).join(' ')
    return `${text.slice(0, room - 1)} ${known}`
  }
  const { json } = makeSampleData(catalog, entity, longText)
  return { json, fields }
}

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
  const made = await render(context, 'template_source', source, { json: JSON.stringify({ text }) })
  if (!('pdf' in made) || made.unprinted.length === 0) return []
  const message = `documents are in the language of the locale "${locale}", and ${unprintedText(made.unprinted)}`
  return [{ file: 'docket.json', line: 1, column: 1, path: 'locale', message, severity: 'warning' }]
}

/** Ends evaluation immediately; syntax errors are reported before evaluation starts. */
const stop = '#panic("parsed")\n'

const parse = async (context: CheckContext, main: string, text: string): Promise<Finding[]> => {
  const { diagnostics } = await render(context, main, `${stop}${text}`, { json: '{}' })
  return diagnostics.flatMap((one) => {
    const isStop = one.line === 1 && one.message.includes('parsed')
    if (isStop || one.severity === 'warning' || one.file !== main) return []
    return [findingAt({ ...one, line: one.line - 1 }, main, one.message, 'error')]
  })
}

const make = async (
  context: CheckContext,
  catalog: Catalog,
  { entity, template, finding }: SeededDocument,
): Promise<Finding[]> => {
  const data = makeSampleData(catalog, entity)
  const main = 'file' in template ? template.file : 'template_source'
  const source = 'file' in template ? undefined : template.source
  const made = await render(context, main, source, { json: data.json })
  const { diagnostics } = made
  const boxes = 'pdf' in made ? unprintedText(made.unprinted) : undefined
  const lost = await lossesOf(context, catalog, { entity, template, finding })
  const found = diagnostics.flatMap((one) => {
    // That a document is not PDF/A is reported in the log only, but not that it prints boxes.
    if (one.severity === 'warning' && one.file === undefined && one.message !== boxes) return []
    const { message, severity } = reading(one, data)
    if (one.file !== undefined && context.files.has(one.file))
      return [findingAt(one, one.file, message, severity)]
    return [
      finding(one.file === undefined ? message : `${one.line}:${one.column} ${message}`, severity),
    ]
  })
  return [...found, ...lost]
}

/** What the document loses when texts are long; a template that fails with them alone has its findings already. */
const lossesOf = async (
  context: CheckContext,
  catalog: Catalog,
  { entity, template, finding }: SeededDocument,
): Promise<Finding[]> => {
  const { json, fields } = makeLongData(catalog, entity)
  const main = 'file' in template ? template.file : 'template_source'
  const source = 'file' in template ? undefined : template.source
  const made = await render(context, main, source, { json, withMarks: true })
  const lost = 'marks' in made ? lostFields(made.marks ?? [], fields) : new Map<string, number>()
  return [...lost].map(([field, page]) => {
    const message = `loses content: a long “${field}” ends outside of page ${page}; let its block break (breakable: true), without a fixed height or width`
    if (source !== undefined) return finding(message, 'warning')
    const text = Buffer.from(context.files.get(main) ?? []).toString('utf8')
    return findingAt(placeIn(text, field), main, message, 'warning')
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
  { engine, files, locale }: CheckContext,
  main: string,
  source: string | undefined,
  data: Pick<TemplateData, 'json' | 'withMarks'>,
): Promise<Rendered> => {
  const template = source === undefined ? { main, files } : { main, source, files }
  try {
    return await engine.render(template, { ...data, locale, generatedAt })
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    const place = { file: main, line: 1, column: 1, endColumn: 1 }
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

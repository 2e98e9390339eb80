/**
 * Tries the templates of a project without a database: each file is parsed, and each document is made
 * of a record that does not exist.
 */
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import type { Project } from '../../definitions/load-project.ts'
import type { Finding, Severity } from '../../definitions/source-file.ts'
import { didYouMean } from '../../did-you-mean.ts'
import {
  type Diagnostic,
  type PdfEngine,
  RenderError,
  type TemplateFiles,
} from '../typst/engine.ts'
import { createTypstEngine } from '../typst/typst-engine.ts'
import { type MadeUpData, makeUpData } from './made-up-data.ts'
import { templateFolderName } from './template-folder.ts'

/** A document that a project brings, with what prints it. */
export type BroughtDocument = {
  readonly entity: Entity
  /** A file of the folder, or the template itself. */
  readonly template: { readonly file: string } | { readonly source: string }
  /** A finding at the document itself. */
  readonly finding: (message: string, severity: Severity) => Finding
}

type Trying = {
  readonly engine: PdfEngine
  readonly files: TemplateFiles
  readonly locale: string
}

// A check alone on its machine: every template waits for the one process.
const limits = {
  maxProcesses: 1,
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitingPerCaller: Number.POSITIVE_INFINITY,
  timeoutMs: 10_000,
  memoryBytes: 2048 * 1_048_576,
}
const generatedAt = new Date('2026-05-04T08:30:00.000Z')

/** Findings at the lines of the templates. Documents are made only where every file parses. */
export const checkTemplateFolder = async (
  { settings: { locale }, catalog }: Pick<Project, 'settings' | 'catalog'>,
  files: TemplateFiles,
  documents: readonly BroughtDocument[],
): Promise<Finding[]> => {
  const engine = createTypstEngine({ timeZone: 'UTC', ...limits })
  const trying: Trying = { engine, files, locale: locale ?? 'en' }
  const templates = [...files].filter(([path]) => path.endsWith('.typ'))
  try {
    const parsed = await Promise.all(
      templates.map(([path, bytes]) => parse(trying, path, Buffer.from(bytes).toString('utf8'))),
    )
    const errors = parsed.flat()
    if (errors.length > 0) return errors
    return withoutRepeats(
      (await Promise.all(documents.map((one) => make(trying, catalog, one)))).flat(),
    )
  } finally {
    await engine.close()
  }
}

/** Evaluation ends at once here, and issues of the syntax are told before it begins. */
const stop = '#panic("parsed")\n'

const parse = async (trying: Trying, main: string, text: string): Promise<Finding[]> => {
  const told = await diagnosticsOf(trying, main, `${stop}${text}`, '{}')
  return told.flatMap((one) => {
    const isStop = one.line === 1 && one.message.includes('parsed')
    if (isStop || one.severity === 'warning' || one.file !== main) return []
    return [findingAt({ ...one, line: one.line - 1 }, main, one.message, 'error')]
  })
}

const make = async (
  trying: Trying,
  catalog: Catalog,
  { entity, template, finding }: BroughtDocument,
): Promise<Finding[]> => {
  const data = makeUpData(catalog, entity)
  const main = 'file' in template ? template.file : 'template_source'
  const source = 'file' in template ? undefined : template.source
  const told = await diagnosticsOf(trying, main, source, data.json)
  return told.flatMap((one) => {
    // That a document is no PDF/A is for whoever reads the log.
    if (one.severity === 'warning' && one.file === undefined) return []
    const { message, severity } = reading(one, data)
    if (one.file !== undefined && trying.files.has(one.file))
      return [findingAt(one, one.file, message, severity)]
    return [
      finding(one.file === undefined ? message : `${one.line}:${one.column} ${message}`, severity),
    ]
  })
}

const diagnosticsOf = async (
  { engine, files, locale }: Trying,
  main: string,
  source: string | undefined,
  json: string,
): Promise<readonly Diagnostic[]> => {
  const template = source === undefined ? { main, files } : { main, source, files }
  try {
    return (await engine.render(template, { json, locale, generatedAt })).diagnostics
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    return [
      { severity: 'error', file: main, line: 1, column: 1, endColumn: 1, message: error.message },
    ]
  }
}

/** What is wrong with any record; the rest may be the error of the made-up one. */
const certain: readonly RegExp[] = [
  /^unknown variable/,
  /^unresolved import/,
  /^there is no file/,
  /^packages cannot be imported/,
  /^files outside of/,
  /^timed out/,
]

const reading = (
  { message, severity }: Diagnostic,
  { names, isOpen }: MadeUpData,
): { readonly message: string; readonly severity: Severity } => {
  if (severity === 'warning') return { message, severity }
  const [, key] = /does not contain key "([^"]+)"/.exec(message) ?? []
  const isCertain = certain.some((one) => one.test(message)) || (key !== undefined && !isOpen)
  return {
    message: `${message}${key === undefined ? '' : didYouMean(key, names)}${isCertain ? '' : ' (of a made-up record: try it on one of yours with docket document)'}`,
    severity: isCertain ? 'error' : 'warning',
  }
}

const findingAt = (
  { line, column }: Diagnostic,
  file: string,
  message: string,
  severity: Severity,
): Finding => ({ file: `${templateFolderName}/${file}`, line, column, path: '', message, severity })

/** Several documents may import one file. */
const withoutRepeats = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values(),
]

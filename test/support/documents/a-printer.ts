/** A printer: Typst on a folder of templates that a test writes, and the parsed output. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadConfig } from '../../../src/config/load-config.ts'
import { documentLimitsOf } from '../../../src/config/process-limits.ts'
import { openTemplateFolder } from '../../../src/documents/template-folder.ts'
import {
  type Diagnostic,
  type PdfEngine,
  type Picture,
  RenderError,
  type Rendered,
} from '../../../src/documents/typst/engine.ts'
import { createTypstEngine } from '../../../src/documents/typst/typst-engine.ts'
import { afterwards } from '../afterwards.ts'
import { type ReadPdf, readPdf } from './read-pdf.ts'

export type PrintedPdf = ReadPdf & { readonly warnings: readonly string[] }

/** Input of a template besides its files. */
export type RenderInput = {
  readonly json?: string
  readonly locale?: string
  readonly generatedAt?: Date
  readonly pictures?: readonly Picture[]
}

/** The path of a template in the folder, or the source of a template. */
export type TemplateRef = string | { readonly source: string }

export type Printer = {
  /** Absolute path of the project, which contains `printable-documents`. */
  readonly directory: string
  /** Writes a file under `printable-documents`. */
  readonly write: (path: string, content: string | Uint8Array) => Promise<void>
  readonly removeFile: (path: string) => Promise<void>
  readonly render: (ref: TemplateRef, input?: RenderInput) => Promise<Rendered>
  /** The parsed PDF. Fails when there is none. */
  readonly print: (ref: TemplateRef, input?: RenderInput) => Promise<PrintedPdf>
  /** `file:line:column message` of each issue. Fails when there is a PDF. */
  readonly issuesOf: (ref: TemplateRef, input?: RenderInput) => Promise<string[]>
  /** The error that the rendering fails with. */
  readonly errorOf: (ref: TemplateRef, input?: RenderInput) => Promise<RenderError>
  readonly close: () => Promise<void>
  /** Closes it and removes the folder. */
  readonly remove: () => Promise<void>
}

type Files = Readonly<Record<string, string | Uint8Array>>
type Options = Partial<Parameters<typeof createTypstEngine>[0]>

/** Typst detects an endless `while`; it cannot detect this. */
export const endless = {
  source: '#for a in range(1000000) { for b in range(1000000) { let c = a + b } }',
}

/** The default time of documents. */
export const generatedAt = new Date('2026-05-04T08:30:00Z')

/** Unless a test gives another time limit, the speed of the machine ends no document. */
const engineWith = (options: Options): PdfEngine =>
  createTypstEngine({
    timeZone: 'UTC',
    ...documentLimitsOf(loadConfig({})),
    niceness: 0,
    timeoutMs: 200_000,
    ...options,
  })

let shared: PdfEngine | undefined

/** Of one engine process, so that each document comes after the others; it ends with the process of the tests. */
const sharedEngine = (): PdfEngine => (shared ??= engineWith({ maxProcesses: 1 }))

/**
 * Files by their paths under `printable-documents`. Printers without options share an engine, which closing them
 * leaves.
 */
export const createPrinter = async (files: Files = {}, options?: Options): Promise<Printer> => {
  const directory = await mkdtemp(join(tmpdir(), 'docket-printer-'))
  const write: Printer['write'] = async (path, content) => {
    const file = join(directory, 'printable-documents', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
  for (const [path, content] of Object.entries(files)) await write(path, content)
  const folder = openTemplateFolder(directory)
  const engine = options ? engineWith(options) : sharedEngine()
  const close = async () => {
    if (options) await engine.close()
  }
  const render: Printer['render'] = async (ref, input = {}) => {
    const template = { files: (await folder.read()).files, ...templateOf(ref) }
    return engine.render(template, { json: '{}', locale: 'en', generatedAt, ...input })
  }
  return {
    directory,
    write,
    removeFile: (path) => rm(join(directory, 'printable-documents', path)),
    render,
    print: async (ref, input) => {
      const rendered = await render(ref, input)
      const lines = rendered.diagnostics.map(oneLine)
      if ('pdf' in rendered) return { ...(await readPdf(rendered.pdf)), warnings: lines }
      throw new Error(lines.join('\n'))
    },
    issuesOf: async (ref, input) => {
      const rendered = await render(ref, input)
      if ('pdf' in rendered) throw new Error('The template was printed.')
      return rendered.diagnostics.map(oneLine)
    },
    errorOf: async (ref, input) => {
      const error = await render(ref, input).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (error instanceof RenderError) return error
      throw new Error(`The rendering failed with ${error}.`)
    },
    close,
    remove: afterwards(async () => {
      await close()
      await rm(directory, { recursive: true })
    }),
  }
}

const templateOf = (ref: TemplateRef) =>
  typeof ref === 'string' ? { main: ref } : { main: 'template_source', ...ref }

const oneLine = ({ severity, file, line, column, message }: Diagnostic): string => {
  const place = file === undefined ? '' : `${file}:${line}:${column} `
  return `${place}${severity === 'warning' ? 'warning: ' : ''}${message}`
}

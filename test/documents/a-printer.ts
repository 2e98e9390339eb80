/** A printer: Typst on a folder of templates that a test writes, and what comes out, read back. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadConfig } from '../../src/config/load-config.ts'
import { documentLimitsOf } from '../../src/config/process-limits.ts'
import { openTemplateFolder } from '../../src/documents/templates/template-folder.ts'
import type { Diagnostic, Rendered } from '../../src/documents/typst/engine.ts'
import { RenderError } from '../../src/documents/typst/engine.ts'
import { createTypstEngine } from '../../src/documents/typst/typst-engine.ts'
import { type ReadPdf, readPdf } from './read-pdf.ts'

export type PrintedPdf = ReadPdf & { readonly warnings: readonly string[] }

/** What a template is given beside its files. */
export type Given = {
  readonly json?: string
  readonly locale?: string
  readonly generatedAt?: Date
}

/** The path of a template in the folder, or a template as it is. */
export type Wanted = string | { readonly source: string }

export type Printer = {
  /** Absolute path of the project, in which `printable-documents` stands. */
  readonly directory: string
  /** Writes a file under `printable-documents`. */
  readonly write: (path: string, content: string | Uint8Array) => Promise<void>
  readonly removeFile: (path: string) => Promise<void>
  readonly render: (wanted: Wanted, given?: Given) => Promise<Rendered>
  /** The PDF, read back; fails when there is none. */
  readonly print: (wanted: Wanted, given?: Given) => Promise<PrintedPdf>
  /** `file:line:column message` of each issue; fails when there is a PDF. */
  readonly issuesOf: (wanted: Wanted, given?: Given) => Promise<string[]>
  /** The error that the rendering ends with. */
  readonly errorOf: (wanted: Wanted, given?: Given) => Promise<RenderError>
  readonly close: () => Promise<void>
  /** Closes it and removes the folder. */
  readonly remove: () => Promise<void>
}

type Files = Readonly<Record<string, string | Uint8Array>>
type Options = Partial<Parameters<typeof createTypstEngine>[0]>

/** The time of every document, unless it is given another. */
export const generatedAt = new Date('2026-05-04T08:30:00Z')

/** Files by their paths under `printable-documents`. */
export const aPrinter = async (files: Files = {}, options: Options = {}): Promise<Printer> => {
  const directory = await mkdtemp(join(tmpdir(), 'docket-printer-'))
  const write: Printer['write'] = async (path, content) => {
    const file = join(directory, 'printable-documents', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
  }
  for (const [path, content] of Object.entries(files)) await write(path, content)
  const folder = openTemplateFolder(directory)
  const engine = createTypstEngine({
    timeZone: 'UTC',
    ...documentLimitsOf(loadConfig({})),
    ...options,
  })
  const render: Printer['render'] = async (wanted, given = {}) => {
    const template = { files: (await folder.read()).files, ...templateOf(wanted) }
    return engine.render(template, { json: '{}', locale: 'en', generatedAt, ...given })
  }
  return {
    directory,
    write,
    removeFile: (path) => rm(join(directory, 'printable-documents', path)),
    render,
    print: async (wanted, given) => {
      const rendered = await render(wanted, given)
      const told = rendered.diagnostics.map(oneLine)
      if ('pdf' in rendered) return { ...(await readPdf(rendered.pdf)), warnings: told }
      throw new Error(told.join('\n'))
    },
    issuesOf: async (wanted, given) => {
      const rendered = await render(wanted, given)
      if ('pdf' in rendered) throw new Error('It was printed.')
      return rendered.diagnostics.map(oneLine)
    },
    errorOf: async (wanted, given) => {
      const error = await render(wanted, given).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (error instanceof RenderError) return error
      throw new Error(`It ended with ${error}.`)
    },
    close: () => engine.close(),
    remove: async () => {
      await engine.close()
      await rm(directory, { recursive: true })
    },
  }
}

const templateOf = (wanted: Wanted) =>
  typeof wanted === 'string' ? { main: wanted } : { main: 'template_source', ...wanted }

const oneLine = ({ severity, file, line, column, message }: Diagnostic): string => {
  const place = file === undefined ? '' : `${file}:${line}:${column} `
  return `${place}${severity === 'warning' ? 'warning: ' : ''}${message}`
}

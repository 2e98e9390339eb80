/**
 * `docket document`: renders a printable document of a record, with --watch again after each change of a
 * template.
 */
import { watch } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { getEntity } from '../../definitions/catalog.ts'
import { didYouMean } from '../../did-you-mean.ts'
import {
  findDocument,
  listCodes,
  type PrintableDocument,
} from '../../documents/printable-document.ts'
import {
  type DocumentDeps,
  makeDocument,
  printDiagnostics,
} from '../../documents/render-document.ts'
import { ApiError, errorText, StartupError } from '../../errors.ts'
import { createObservationHub } from '../../observations.ts'
import { openRuntime } from '../../runtime/open-runtime.ts'
import { findUserByEmail } from '../../users/user-store.ts'
import { type Command, type Context, exitCodes, requiredId } from '../command.ts'
import { withProject } from '../open-project.ts'
import { stopOnSignal } from '../stop-on-signal.ts'

export const command: Command = {
  usage: 'CODE',
  summary: 'Render a printable document of a record.',
  options: {
    id: { type: 'string', value: 'N', help: 'The id of the record.' },
    out: {
      type: 'string',
      value: 'FILE',
      help: 'The file to write (default: the name of the document).',
    },
    watch: { type: 'boolean', help: 'Render it again whenever a template changes.' },
  },
  positionals: 1,
  run: async (context) => {
    const { config, options, observe, positionals } = context
    const id = requiredId(options.id)
    const needs = { command: 'docket document', needs: 'records' } as const
    return withProject(context, needs, async (project, { connectionString, pool }) => {
      const hub = createObservationHub(observe)
      const runtime = openRuntime({ config, project, connectionString, hub })
      const user = await findUserByEmail(pool, config.ADMIN_EMAIL)
      const documents = { ...runtime.documentsOn(pool), actorId: user?.id ?? null }
      try {
        const document = await getDocument(documents, positionals[0] ?? '')
        const print = () => printOnce({ context, documents, id }, document.code)
        if (options.watch !== true)
          return (await print()) === undefined ? exitCodes.failed : exitCodes.done
        await printAgain(context, documents, print)
        return exitCodes.done
      } finally {
        await runtime.close()
      }
    })
  },
}

type Opened = DocumentDeps & { readonly actorId: number | null }

const getDocument = async ({ pool }: Opened, code: string): Promise<PrintableDocument> => {
  const document = await findDocument(pool, code)
  if (document) return document
  const codes = await listCodes(pool)
  const all = codes.length === 0 ? '; there are none' : `; those are: ${codes.join(', ')}`
  throw new StartupError(
    `There is no printable document "${code}"${didYouMean(code, codes) || all}`,
  )
}

type Printing = { readonly context: Context; readonly documents: Opened; readonly id: number }

/** Writes the PDF, or prints the diagnostics; returns the file, if there is one. */
const printOnce = async (
  { context, documents, id }: Printing,
  code: string,
): Promise<string | undefined> => {
  const { options, terminal } = context
  const begun = performance.now()
  // Read again, because it may have changed while templates are watched.
  const document = await getDocument(documents, code)
  const entity = getEntity(documents.catalog, document.entity_key)
  const { actorId } = documents
  const made = await makeDocument(documents, { entity, id, actorId }, document)
  const { template, rendered, filename } = made
  terminal.note(printDiagnostics(rendered.diagnostics, template))
  if (!('pdf' in rendered)) return undefined
  const file = typeof options.out === 'string' ? options.out : filename
  await writeWhole(file, rendered.pdf)
  const { pages, pdf } = rendered
  const ms = Math.round(performance.now() - begun)
  terminal.out(
    `${file}: ${pages} ${pages === 1 ? 'page' : 'pages'}, ${pdf.byteLength} bytes, ${ms} ms\n`,
  )
  return file
}

/** Under another name first, so that a viewer that watches the file never reads an incomplete one. */
const writeWhole = async (file: string, bytes: Uint8Array): Promise<void> => {
  const part = partOf(file)
  try {
    await writeFile(part, bytes)
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw new StartupError(`${file} cannot be written: ${errorText(error)}`, { cause: error })
  }
}

const partOf = (file: string): string => `${file}.part`

// Editors write a file in several steps.
const settleMs = 50

/** Renders now and after each change, until a signal; shows errors and continues. */
const printAgain = async (
  context: Context,
  { templates }: Opened,
  print: () => Promise<string | undefined>,
): Promise<void> => {
  const { terminal } = context
  let printing = Promise.resolve()
  const changed = new Set([templates.path])
  const written = new Set<string>()
  const enqueue = () => {
    printing = printing.then(async () => {
      // Ignores files that it wrote itself.
      const isChanged = [...changed].some((path) => !written.has(path))
      changed.clear()
      if (!isChanged) return
      try {
        const file = await print()
        if (file !== undefined) written.add(resolve(file)).add(resolve(partOf(file)))
      } catch (error) {
        if (!(error instanceof ApiError || error instanceof StartupError)) throw error
        terminal.note(`${error.message}\n`)
      }
    })
  }
  let due: NodeJS.Timeout | undefined
  const watcher = openWatcher(templates.path, (_, name) => {
    changed.add(name === null ? templates.path : join(templates.path, name))
    clearTimeout(due)
    due = setTimeout(enqueue, settleMs)
  })
  enqueue()
  terminal.note(`Watching ${templates.path}; Ctrl-C stops it.\n`)
  await stopOnSignal(context, async () => {
    clearTimeout(due)
    watcher.close()
    await printing
  })
}

const openWatcher = (path: string, onChange: (event: string, name: string | null) => void) => {
  try {
    return watch(path, { recursive: true }, onChange)
  } catch (error) {
    throw new StartupError(`${path} cannot be watched: ${errorText(error)}`, { cause: error })
  }
}

/** `docket restore`: restores a backup completely or not at all; or only verifies it. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type BackupReader, readBackup } from '../../backup/read-backup.ts'
import { type Restored, RestoreInDoubt, restoreBackup } from '../../backup/restore-backup.ts'
import { openBlobStore } from '../../blobs/open-blob-store.ts'
import { errorText, StartupError } from '../../errors.ts'
import { withDatabase } from '../../runtime/open-database.ts'
import { type Command, type Context, exitCodes, type Terminal } from '../command.ts'
import { createTableProgress } from '../output.ts'
import { requireProject } from '../require-project.ts'

export const command: Command = {
  usage: 'FILE',
  summary: 'Restore a backup into an empty database.',
  options: {
    replace: { type: 'boolean', help: 'Remove the content of the database first.' },
    check: { type: 'boolean', help: 'Only verify the checksums of the file.' },
  },
  positionals: 1,
  run: async (context) => {
    const { options, positionals, terminal } = context
    const file = positionals[0] ?? ''
    const source = await openSource(file, terminal)
    const progress = createTableProgress(terminal, 'bytes')
    try {
      const work = options.check === true ? check : restore
      const restored = await work(context, source, progress.add)
      progress.end()
      terminal.note(textOf(file, restored, options.check === true))
      return exitCodes.done
    } catch (error) {
      throw errorOf(file, error, options.check === true)
    } finally {
      progress.end()
      source.destroy()
    }
  },
}

type OnTable = (name: string, count: number) => void

const restore = async (
  { config, options, observe }: Context,
  source: Readable,
  onTable: OnTable,
) => {
  await requireProject(config)
  const replace = options.replace === true
  return withDatabase(config, observe, ({ connectionString }) =>
    restoreBackup({
      connectionString,
      source,
      blobs: openBlobStore(config),
      replace,
      onTable,
    }),
  )
}

const check = (_context: Context, source: Readable, onTable: OnTable): Promise<Restored> => {
  let current = ''
  let bytesOfTable = 0
  const nothing: BackupReader = {
    onHead: async () => undefined,
    onBefore: async () => undefined,
    onTable: async ({ name }) => {
      current = name
      bytesOfTable = 0
    },
    onRows: async (bytes) => {
      bytesOfTable += bytes.length
      onTable(current, bytesOfTable)
    },
    onTableEnd: async () => undefined,
    onFile: async (_sha256, pieces) => {
      // They are verified as they are read.
      for await (const piece of pieces) onTable('files', piece.length)
    },
    onAfter: async () => undefined,
  }
  return readBackup(source, nothing)
}

const openSource = async (file: string, { stdin }: Terminal): Promise<Readable> => {
  if (file === '-') return stdin
  try {
    if ((await stat(file)).isFile()) return createReadStream(file)
  } catch (error) {
    throw new StartupError(`${file} cannot be read: ${errorText(error)}`, { cause: error })
  }
  throw new StartupError(`${file} is not a file.`)
}

const errorOf = (file: string, error: unknown, isCheck: boolean): unknown => {
  const isKnown = error instanceof StartupError || (error instanceof Error && 'code' in error)
  if (!isKnown) return error
  if (error instanceof RestoreInDoubt)
    return new StartupError(
      `Whether ${file} was restored is not known. ${errorText(error)}. Restore it again with --replace.`,
      { cause: error },
    )
  const outcome = isCheck
    ? 'is not a complete backup'
    : 'was not restored; the database is unchanged'
  return new StartupError(`${file} ${outcome}. ${errorText(error)}`, { cause: error })
}

const textOf = (file: string, restored: Restored, isCheck: boolean): string => {
  const { head, counts, files, withoutStatistics } = restored
  const rows = counts.reduce((sum, count) => sum + count.rows, 0)
  const what = `${counts.length} tables, ${rows} rows, ${files} files of ${head.madeAt}, made by Docket ${head.docket}`
  const outcome = isCheck ? 'is complete' : 'was restored'
  const next = isCheck
    ? ''
    : 'The next start holds e-mails and jobs until this database is allowed to send: docs/backup.md.\n'
  const slow =
    withoutStatistics === undefined
      ? ''
      : `The statistics of its tables could not be computed (${errorText(withoutStatistics)}); run ANALYZE, or queries are slow.\n`
  return `${file} ${outcome}: ${what}.\n${slow}${next}`
}

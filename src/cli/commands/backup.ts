/** `docket backup`: a consistent copy of the whole database in one file. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type BackupSummary, makeBackup } from '../../backup/make-backup.ts'
import { openBlobStore } from '../../blobs/open-blob-store.ts'
import { syncFolder } from '../../database/private-folder.ts'
import { errorText, StartupError } from '../../errors.ts'
import { withDatabase } from '../../runtime/open-database.ts'
import { type Command, exitCodes, type Terminal } from '../command.ts'
import { createTableProgress } from '../output.ts'
import { requireExistingDatabase } from '../require-project.ts'

export const command: Command = {
  usage: '',
  summary: 'Write the whole database to a file.',
  options: {
    out: {
      type: 'string',
      value: 'FILE',
      help: 'The file to write (default: docket-backup-TIME.tar.gz here; - is standard output).',
    },
  },
  positionals: 0,
  run: async ({ config, options, terminal, observe }) => {
    await requireExistingDatabase(config)
    const out = typeof options.out === 'string' ? options.out : defaultName()
    const progress = createTableProgress(terminal, 'rows')
    const blobs = openBlobStore(config)
    return withDatabase(config, observe, async (database) => {
      const made = summarised(makeBackup({ ...database, blobs, onTable: progress.add }))
      const writing =
        out === '-' ? write(made.bytes, terminal.stdout, false) : writeFileWhole(out, made.bytes)
      await writing.finally(progress.end)
      report(terminal, out, made.summary(), out === '-' ? undefined : (await stat(out)).size)
      if (!blobs.isInBackups) terminal.note(`Not in it: the bytes of files, in ${blobs.name}.\n`)
      return exitCodes.done
    })
  },
}

const defaultName = (): string =>
  `docket-backup-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}Z.tar.gz`

/** The bytes as a stream, and a summary after its end. */
const summarised = (backup: AsyncGenerator<Buffer, BackupSummary>) => {
  let summary: BackupSummary | undefined
  async function* pass() {
    summary = yield* backup
  }
  return {
    bytes: pass(),
    summary: (): BackupSummary => {
      if (summary === undefined) throw new Error('The backup has not ended.')
      return summary
    },
  }
}

const write = (bytes: AsyncIterable<Buffer>, target: Writable, end: boolean): Promise<void> =>
  pipeline(Readable.from(bytes, { objectMode: false }), createGzip({ level: 4 }), target, { end })

/** Renamed when it is complete on the disk; only the owner may read it. */
const writeFileWhole = async (file: string, bytes: AsyncIterable<Buffer>): Promise<void> => {
  const part = `${file}.part`
  try {
    const target = createWriteStream(part, { mode: 0o600, flush: true })
    await once(target, 'open')
    await write(bytes, target, true)
    await rename(part, file)
    await syncFolder(dirname(file))
  } catch (error) {
    await rm(part, { force: true })
    if (!isOfFile(error)) throw error
    throw new StartupError(`${file} cannot be written: ${errorText(error)}`, { cause: error })
  }
}

const isOfFile = (error: unknown): boolean =>
  ['open', 'write', 'rename', 'fsync', 'close'].includes(
    String((error as NodeJS.ErrnoException).syscall),
  )

const report = (
  { note }: Terminal,
  out: string,
  { tables, rows, files, missing, leftOut }: BackupSummary,
  bytes: number | undefined,
): void => {
  const size = bytes === undefined ? '' : `, ${bytes} bytes`
  note(`${out === '-' ? 'Backup' : out}: ${tables} tables, ${rows} rows, ${files} files${size}\n`)
  for (const sha256 of missing)
    note(`Not in it: the file ${sha256}, whose bytes are missing: docket files --check.\n`)
  for (const name of leftOut) note(`Not in it: ${name}, which Docket did not create.\n`)
  note('Not in it: the files of the project, and keys and caught e-mails under .docket/.\n')
}

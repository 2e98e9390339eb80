/** `docket files`: shows where the bytes of files are, and compares the store with the database. */
import { type BlobFault, checkBlobs, countBlobs } from '../../blobs/check-blobs.ts'
import { openBlobStore } from '../../blobs/open-blob-store.ts'
import { requireDatabase, withDatabase } from '../../runtime/open-database.ts'
import { type Command, exitCodes } from '../command.ts'
import { openProject } from '../open-project.ts'
import { createTableProgress } from '../output.ts'
import { requireExistingDatabase } from '../require-project.ts'

export const command: Command = {
  usage: '',
  summary: 'Show where the bytes of files are, and check them.',
  options: {
    check: {
      type: 'boolean',
      help: 'Read all of them, and show what is missing, damaged, or unknown to the database.',
    },
  },
  positionals: 0,
  run: async ({ config, options, terminal, observe }) => {
    const { project } = await openProject(config)
    await requireExistingDatabase(config)
    const store = openBlobStore(config)
    return withDatabase(config, observe, async ({ pool }) => {
      const needs = { command: 'docket files', needs: 'own tables' } as const
      await requireDatabase(pool, project, config, observe, needs)
      const count = await countBlobs(pool)
      terminal.out(
        `${count.blobs.toLocaleString('en')} files, ${count.bytes.toLocaleString('en')} bytes in ${store.name}\n`,
      )
      if (options.check !== true) return exitCodes.done
      const progress = createTableProgress(terminal, 'bytes')
      let read = 0
      let faults = 0
      const onRead = (bytes: number) => {
        read += bytes
        progress.add('read', read)
      }
      for await (const fault of checkBlobs({ database: pool, blobs: store }, onRead)) {
        progress.end()
        terminal.out(`${printFault(fault)}\n`)
        faults += 1
      }
      progress.end()
      if (faults === 0) terminal.out('Nothing is missing or damaged, and nothing is unknown.\n')
      return faults === 0 ? exitCodes.done : exitCodes.failed
    })
  },
}

const meanings: Readonly<Record<BlobFault['fault'], string>> = {
  missing: 'is missing; restore it from a backup of the store',
  damaged: 'is damaged; restore it from a backup of the store',
  extra: 'is unknown to the database, as after the restore of an older backup',
}

const printFault = ({ sha256, fault }: BlobFault): string => `${sha256} ${meanings[fault]}`

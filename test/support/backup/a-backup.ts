/** Test databases, their backups in memory, and databases to restore into. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { createGzip, gunzipSync } from 'node:zlib'
import pg from 'pg'
import { type Entry, readTar } from '../../../src/backup/backup-format.ts'
import { makeBackup } from '../../../src/backup/make-backup.ts'
import { restoreBackup } from '../../../src/backup/restore-backup.ts'
import type { BlobStore } from '../../../src/blobs/blob-store.ts'
import { openFolderStore } from '../../../src/blobs/folder-store.ts'
import { createTestDatabase, type TestDatabase, templateDatabase } from '../database.ts'
import { entityFile } from '../definitions/files.ts'
import { startTestService } from '../service.ts'
import { temporaryFolder } from '../temporary-folder.ts'

export const project = {
  ...entityFile('city', { displayField: 'name' }, [
    { key: 'name', type: 'string', unique: true },
    { key: 'area', type: 'decimal', precision: 12, scale: 3 },
    { key: 'founded', type: 'date' },
    { key: 'seen', type: 'timestamp' },
    { key: 'notes', type: 'text' },
    { key: 'twin', type: 'manyToOne', entity: 'city' },
  ]),
}

/** A database with special characters in a text, a link and a removed record, which no service uses. */
export const createSource = async (): Promise<TestDatabase> => {
  const template = await templateDatabase('cities', async (database) => {
    const kept = { ...database, drop: async () => undefined }
    const service = await startTestService(project, {}, kept)
    const notes = 'a\tb\nc\\N\n\\.\n"quoted", \u{1f600}'
    const values = { name: 'Zagreb', area: '641.200', founded: '1094-01-01', notes }
    const replies = [
      await service.ask('POST', '/city', { body: values }),
      await service.ask('POST', '/city', { body: { name: 'Graz', twin_id: 1 } }),
      await service.ask('DELETE', '/city/2'),
    ]
    assert.deepEqual(
      replies.map(({ status }) => status),
      [201, 201, 204],
      String(replies[1]?.text),
    )
    await database.pool.query(`UPDATE records.city SET notes = notes || E'\\r\\x01' WHERE id = 1`)
    await service.stop()
  })
  return createTestDatabase({ template })
}

export type Target = {
  readonly connectionString: string
  readonly ask: (text: string) => Promise<Record<string, unknown>[]>
}

/** Creates a database that is dropped after the test and that nobody uses between two statements. */
export const createDatabase = async (): Promise<Target> => {
  const { connectionString } = await createTestDatabase()
  return {
    connectionString,
    ask: async (text) => {
      const client = new pg.Client({ connectionString, application_name: 'test' })
      await client.connect()
      try {
        return (await client.query(text)).rows
      } finally {
        await client.end()
      }
    },
  }
}

/** With the bytes of its files; by default there are none. */
type Opened = { readonly connectionString: string; readonly blobs?: BlobStore }

const noFiles = () => openFolderStore({ folder: temporaryFolder(), isOwn: true })

/** Makes a backup in memory. */
export const backUp = async (
  { connectionString, blobs = noFiles() }: Opened,
  onTable = (_name: string) => {},
): Promise<Buffer> => {
  const chunks = makeBackup({ connectionString, blobs, onTable })
  const compressed = createGzip()
  const [bytes] = await Promise.all([
    buffer(compressed),
    pipeline(Readable.from(chunks, { objectMode: false }), compressed),
  ])
  return bytes
}

/** Restores a backup from memory. */
export const restore = (
  { connectionString, blobs = noFiles() }: Opened,
  backup: Buffer,
  replace = false,
) => {
  const chunks = Array.from({ length: Math.ceil(backup.length / 1000) }, (_, n) =>
    backup.subarray(n * 1000, (n + 1) * 1000),
  )
  const source = Readable.from(chunks, { objectMode: false })
  return restoreBackup({ connectionString, source, blobs, replace, onTable: () => undefined })
}

/** A new database with the backup of a source. */
export const restoredFrom = async (source: Opened): Promise<Target> => {
  const target = await createDatabase()
  await restore(target, await backUp(source))
  return target
}

/** Reads the entries of a backup, by path. */
export const entriesOf = async (backup: Buffer): Promise<Map<string, Buffer>> => {
  const entries: Entry[] = []
  for await (const entry of readTar(Readable.from([gunzipSync(backup)]))) entries.push(entry)
  return new Map(entries.map(({ path, bytes }) => [path, bytes]))
}

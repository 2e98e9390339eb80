/**
 * A process that is killed while it receives, stores, uses and removes files, in a folder and in buckets: no row is without its
 * bytes, what was answered is there, what is repeated succeeds, and what nothing uses goes.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import type { BlobStore } from '../../../src/blobs/blob-store.ts'
import { checkBlobs } from '../../../src/blobs/check-blobs.ts'
import { openFolderStore } from '../../../src/blobs/folder-store.ts'
import { openS3Store } from '../../../src/blobs/s3-store.ts'
import type { FilesBucket } from '../../../src/config/files-place.ts'
import type { Pool } from '../../../src/database/pool.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { outcomeOf, spawnDocket, tokenOf } from '../../support/docket.ts'
import { settingsOf, startBucket } from '../../support/files/a-bucket.ts'
import { lackOfSwift, startSwift } from '../../support/files/a-swift.ts'
import { type KillPoint, killPoints } from '../../support/files/kill-points.ts'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import {
  endWell,
  type StartedService,
  startUp,
  workUntil,
} from '../../support/processes/a-service.ts'
import { receive } from '../../support/send.ts'
import { writeProject } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { download, uploadFile } from '../../support/uploads.ts'

type Place = {
  readonly store: BlobStore
  readonly settings: Readonly<Record<string, string>>
  /** The folder of files that are received, and of the store if it is one. */
  readonly folder: string
}

const inBucket = (start: () => Promise<FilesBucket>) => async (): Promise<Place> => {
  const folder = temporaryFolder()
  const bucket = await start()
  const settings = { ...settingsOf(bucket), TMPDIR: folder }
  return { store: openS3Store(bucket), settings, folder }
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  'a folder': async () => {
    const folder = join(temporaryFolder(), 'files')
    await mkdir(folder)
    const store = openFolderStore({ folder, isOwn: false })
    return { store, settings: { FILES_URL: `file://${folder}` }, folder }
  },
  'a bucket': inBucket(startBucket),
  ...(lackOfSwift() === undefined && { 'a bucket of Swift': inBucket(startSwift) }),
}

const files = entityFile('item', [
  { key: 'scan', type: 'file' },
  { key: 'photos', type: 'files' },
])

const pointsOf = (during: string) =>
  (Object.keys(killPoints) as KillPoint[]).filter((point) => killPoints[point].during === during)

/** So large that it is sent and stored in several pieces. */
const aFile = () => randomBytes(3_000_000)

/** The service, which is started again after each kill, and processes that do its jobs. */
const startKilled = async ({ settings, folder, store }: Place) => {
  const { pool, connectionString } = await createPreparedDatabase()
  const point = join(temporaryFolder(), 'point')
  const preload = new URL('../../support/files/kill-points.ts', import.meta.url)
  const environment = {
    DATABASE_URL: connectionString,
    PROJECT: await writeProject(files),
    NODE_OPTIONS: `--import=${preload.href}`,
    KILL_POINT: point,
    ...settings,
  }
  const killAt = (name: KillPoint | 'nowhere') => writeFile(point, name)
  await killAt('nowhere')
  let running = await startUp(environment, ['--no-jobs'])
  const { base: url } = running
  const token = await tokenOf(environment.PROJECT, environment)
  const service = { url, tokenOf: async () => token }
  const startAgain = async ({ ended }: Pick<StartedService, 'ended'> = running) => {
    assert.equal((await ended).code, null)
    await killAt('nowhere')
    await assertWhole(pool, store)
    running = await startUp({ ...environment, PORT: new URL(url).port }, ['--no-jobs'])
  }
  const ask = async (method: 'GET' | 'PATCH', id: number, body?: object) => {
    const answer = await receive(method, `${url}/item/${id}`, {
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.equal(answer.status, 200, answer.bytes.toString())
    return JSON.parse(answer.bytes.toString())
  }
  return {
    ...service,
    pool,
    folder,
    store,
    ask,
    upload: (bytes: Buffer) => uploadFile(service, 'a.bin', bytes),
    /** The work is cut off at the point. */
    killedAt: async (name: KillPoint, work: () => Promise<unknown>) => {
      await killAt(name)
      await assert.rejects(work(), { code: /ECONN|EPIPE/ }, name)
      await startAgain()
    },
    killed: async () => {
      running.child.kill('SIGKILL')
      await startAgain()
    },
    /** Removes what nothing uses, and is killed while it does. */
    sweptUntil: async (name: KillPoint) => {
      await killAt(name)
      const child = spawnDocket(['worker'], environment)
      assert.equal((await outcomeOf(child)).code, null, name)
      await killAt('nowhere')
      await assertWhole(pool, store)
    },
    sweptTo: (isDone: () => Promise<boolean>) =>
      workUntil(environment, 'what nothing uses is gone', isDone),
    stop: () => endWell(running),
  }
}

type Killed = Awaited<ReturnType<typeof startKilled>>

/** Every row has its bytes, and the store has none that no row knows. */
const assertWhole = async (pool: Pool, blobs: BlobStore) => {
  const faults = await Array.fromAsync(checkBlobs({ database: pool, blobs }, () => undefined))
  assert.deepEqual(faults, [])
  const { rows } = await pool.query(
    `SELECT r.sha256
     FROM (SELECT sha256 FROM docket.upload UNION ALL SELECT sha256 FROM docket.file) r
     LEFT JOIN docket.blob b ON b.sha256 = r.sha256 AND b.state = 'stored'
     WHERE b.sha256 IS NULL`,
  )
  assert.deepEqual(rows, [])
}

/** Sends the half of a file, and resolves when the service has taken it from its connection. */
const sendHalf = async ({ url, tokenOf: token }: Killed, bytes: Buffer) => {
  const sent = request(`${url}/api/uploads`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${await token()}`,
      'Content-Disposition': 'attachment; filename="half.bin"',
      'Content-Length': bytes.length,
    },
  })
  sent.on('error', () => undefined)
  if (!sent.write(bytes.subarray(0, bytes.length / 2))) await once(sent, 'drain')
}

/** As if nothing had used them for so long. */
const age = ({ pool }: Killed) =>
  pool.query(`UPDATE docket.blob SET unused_since = unused_since - interval '2 hours'`)

const storedIn = async ({ store }: Killed) => (await Array.fromAsync(store.list())).flat()

for (const [name, open] of Object.entries(places))
  test(`a process that is killed at each point loses no file in ${name} and leaves nothing`, async () => {
    const killed = await startKilled(await open())
    const { upload, ask, pool } = killed
    const used: { readonly path: string; readonly bytes: Buffer }[] = []
    const { rows } = await pool.query<{ id: number }>(
      'INSERT INTO records.item (_created_by, _updated_by) VALUES (1, 1) RETURNING id',
    )
    const id = rows[0]?.id ?? 0
    const noteUse = (bytes: Buffer, { photos }: Awaited<ReturnType<typeof ask>>) => {
      const path = `/item/${id}/file/${photos.at(-1).id}`
      used.push({ path, bytes })
    }
    await sendHalf(killed, aFile())
    await killed.killed()
    for (const point of pointsOf('upload')) {
      const bytes = aFile()
      await killed.killedAt(point, () => upload(bytes))
      // It is sent again, and used.
      noteUse(bytes, await ask('PATCH', id, { photos: { add: [await upload(bytes)] } }))
    }
    for (const point of pointsOf('use')) {
      const bytes = aFile()
      const body = { photos: { add: [await upload(bytes)] } }
      await killed.killedAt(point, () => ask('PATCH', id, body))
      const isWritten = point === 'after the commit'
      noteUse(bytes, await (isWritten ? ask('GET', id) : ask('PATCH', id, body)))
    }
    const isSwept = async () => {
      const stored = await storedIn(killed)
      const { rows: known } = await pool.query('SELECT sha256 FROM docket.blob')
      return stored.length === used.length && known.length === used.length
    }
    // What was cut off goes as a whole, with the uploads that were stored and not answered.
    await pool.query(`UPDATE docket.upload SET expires_at = now()`)
    await killed.sweptTo(async () => (await pool.query('SELECT FROM docket.upload')).rowCount === 0)
    await age(killed)
    await killed.sweptTo(isSwept)
    for (const point of pointsOf('removal')) {
      await upload(aFile())
      await pool.query('DELETE FROM docket.upload')
      await age(killed)
      await killed.sweptUntil(point)
    }
    await killed.sweptTo(isSwept)
    for (const { path, bytes } of used)
      assert.deepEqual((await download(killed, path)).bytes, bytes)
    await killed.stop()
    // As if the processes had ended an hour ago.
    const received = join(killed.folder, 'received')
    const old = new Date(Date.now() - 2 * 3_600_000)
    for (const one of await readdir(received).catch(() => []))
      await utimes(join(received, one), old, old)
    await killed.store.removeAbandoned()
    const stored = (await storedIn(killed)).map(({ sha256 }) => sha256.slice(2))
    const left = await readdir(killed.folder, { recursive: true, withFileTypes: true })
    const files = left.filter((one) => one.isFile()).map((one) => one.name)
    assert.deepEqual(
      files.filter((one) => !stored.includes(one)),
      [],
    )
  })

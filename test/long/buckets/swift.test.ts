/**
 * `npm run test:long -- buckets`: files in a bucket of OpenStack Swift. Other than the server of the tests of every day it checks
 * signatures, and it lists in pages.
 */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openS3Store } from '../../../src/blobs/s3-store.ts'
import { opened } from '../../support/afterwards.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { runDocket, tokenOf } from '../../support/docket.ts'
import { settingsOf } from '../../support/files/a-bucket.ts'
import { startSwift } from '../../support/files/a-swift.ts'
import { testBucket } from '../../support/files/store-facts.ts'
import { createPreparedDatabase } from '../../support/prepared-database.ts'
import { asking, endWell, startUp, workUntil } from '../../support/processes/a-service.ts'
import { writeProject } from '../../support/service.ts'
import { download, uploadFile } from '../../support/uploads.ts'

const swift = opened(startSwift)

testBucket('bucket of Swift', async () => swift)

/** The settings of a service with files of its own in the bucket. */
const openPlace = async () => {
  const { pool, connectionString } = await createPreparedDatabase()
  const place = { ...swift, prefix: 'service/' }
  const environment = {
    DATABASE_URL: connectionString,
    PROJECT: await writeProject(entityFile('item', [{ key: 'scan', type: 'file' }])),
    ...settingsOf(place),
  }
  return { pool, environment, store: openS3Store(place) }
}

test('a wrong secret is refused at the start with the reason, and no secret is shown', async () => {
  const { environment } = await openPlace()
  const wrong = 'a-wrong-secret'
  const given = { ...environment, FILES_SECRET_ACCESS_KEY: wrong }
  const { code, out, err } = await runDocket(['start'], given)
  assert.equal(code, 1)
  assert.match(
    err,
    /FILES_URL cannot be used: s3:\/\/shop\/service\/: The request signature we calculated does not match/,
  )
  for (const secret of [wrong, environment.FILES_SECRET_ACCESS_KEY])
    assert.equal(`${out}${err}`.includes(secret), false)
})

test('a service sends files there, reads them as a whole and in ranges, and removes what nothing uses', async () => {
  const { pool, environment, store } = await openPlace()
  const running = await startUp(environment, ['--no-jobs'])
  const { base: url } = running
  const token = await tokenOf(environment.PROJECT, environment)
  const service = { url, tokenOf: async () => token }
  const ask = asking(url, token)
  const stored = async () =>
    (await Array.fromAsync(store.list())).flat().map(({ sha256 }) => sha256)
  const age = (time: string) =>
    pool.query('UPDATE docket.blob SET unused_since = unused_since - $1::interval', [time])
  const check = async () => {
    const { code, out, err } = await runDocket(['files', '--check'], environment)
    assert.equal(code, 0, err)
    assert.match(out, /Nothing is missing or damaged, and nothing is unknown/)
    return out
  }

  const bytes = randomBytes(20 * 1024 * 1024)
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const scan = await uploadFile(service, 'scan.bin', bytes)
  const unused = await uploadFile(service, 'unused.txt', 'nothing uses this')
  const { id, scan: file } = (await ask('POST', '/item', { scan })).json(201)
  const path = `/item/${id}/file/${file.id}`
  assert.deepEqual((await download(service, path)).bytes, bytes)
  const Range = 'bytes=10000000-10999999'
  const part = await download(service, path, { headers: { Range } })
  assert.equal(part.status, 206)
  assert.deepEqual(part.bytes, bytes.subarray(10_000_000, 11_000_000))
  assert.match(await check(), /^2 files, 20,971,537 bytes in s3:\/\/shop\/service\/$/m)

  assert.equal((await ask('DELETE', `/api/uploads/${unused}`)).status, 204)
  await age('2 hours')
  await workUntil(environment, 'what nothing uses is gone', async () =>
    (await stored()).every((one) => one === sha256),
  )
  assert.deepEqual((await download(service, path)).bytes, bytes)

  assert.equal((await ask('DELETE', `/item/${id}?forever=true`)).status, 204)
  const unusedRows = 'SELECT FROM docket.blob WHERE unused_since IS NOT NULL'
  await workUntil(environment, 'its bytes are unused', async () =>
    Boolean((await pool.query(unusedRows)).rowCount),
  )
  await age('31 days')
  await workUntil(environment, 'its bytes are gone', async () => (await stored()).length === 0)
  assert.match(await check(), /^0 files, 0 bytes/m)
  await endWell(running)
})

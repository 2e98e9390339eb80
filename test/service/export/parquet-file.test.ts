/** Parquet files, read back by another engine: row groups, compression, and a truncated file. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { emptyTable, insertRecords } from '../../support/an-export-project.ts'
import { exportOf } from '../../support/export-request.ts'
import { queryParquet, readParquet } from '../../support/read-parquet.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'

const parcel = {
  key: 'parcel',
  fields: [
    { key: 'code', type: 'string' },
    { key: 'note', type: 'text' },
    { key: 'kind', type: 'enum', values: ['in', 'out'] },
    { key: 'count', type: 'integer' },
    { key: 'serial', type: 'bigint' },
    { key: 'total', type: 'decimal', precision: 38, scale: 10 },
    { key: 'is_new', type: 'boolean' },
    { key: 'day', type: 'date' },
    { key: 'moment', type: 'timestamp' },
  ],
}

let service: TestService
before(async () => {
  service = await startTestService(await writeProject({ 'entities/parcel.json': parcel }))
})
after(() => service.stop())
beforeEach(() => emptyTable(service, 'parcel'))

const exported = async () => {
  const { status, bytes, text } = await exportOf(service, '/parcel/export?format=parquet')
  assert.equal(status, 200, text.slice(0, 500))
  return bytes
}

const many = 150_000

const fill = () =>
  service.database.pool.query(
    `INSERT INTO records.parcel (code, count, serial, total, kind, is_new, day, moment, note)
     SELECT 'code ' || n, n, n * 10000000000, n / 7.0, CASE n % 3 WHEN 0 THEN 'in' WHEN 1 THEN 'out' END,
       n % 2 = 0, date '1969-12-31' + n, timestamptz '1969-12-31Z' + n * interval '1001 ms',
       CASE WHEN n % 100 = 0 THEN repeat(md5(n::text), 40) END
     FROM generate_series(1, $1::integer) n`,
    [many],
  )

test('many rows are several groups, whose bounds are correct', async () => {
  await fill()
  const bytes = await exported()
  const { groups } = await readParquet(bytes)
  assert.ok(groups.length >= 3, `There are ${groups.length} groups.`)
  assert.equal(
    groups.reduce((sum, count) => sum + count, 0),
    many,
  )
  const wrong = await queryParquet(
    bytes,
    `SELECT count(*) FILTER (code IS DISTINCT FROM 'code ' || id), count(*) FILTER (count <> id),
       count(*) FILTER (serial <> id * 10000000000), count(*) FILTER (day - DATE '1969-12-31' <> id),
       count(*) FILTER (epoch_ms(moment) <> id * 1001 - 86400000),
       count(*) FILTER (abs(total * 7 - id) > 0.0000000035),
       count(*) FILTER (kind IS DISTINCT FROM CASE id % 3 WHEN 0 THEN 'in' WHEN 1 THEN 'out' END),
       count(*) FILTER (note IS DISTINCT FROM CASE WHEN id % 100 = 0 THEN repeat(md5(id::VARCHAR), 40) END)
     FROM file`,
  )
  assert.deepEqual(wrong, [[0n, 0n, 0n, 0n, 0n, 0n, 0n, 0n]])
  for (const condition of [
    "code = 'code 149999'",
    'serial > 1499990000000000',
    "day = DATE '1970-01-01'",
    "moment <= TIMESTAMPTZ '1970-01-01 00:00:01.001Z' - INTERVAL 1 DAY",
    'total < 0.2',
  ])
    assert.deepEqual(
      await queryParquet(bytes, `SELECT count(*) FROM file WHERE ${condition}`),
      [[1n]],
      condition,
    )
})

const decoders = { gzip: gunzipSync, zstd: zstdDecompressSync } as const
for (const [name, decode] of Object.entries(decoders))
  test(`${name} on request: it decodes to the same file`, async () => {
    await insertRecords(service, 'parcel', [{ code: 'a' }, { code: 'b' }])
    const packed = await exportOf(service, '/parcel/export', {
      headers: { Accept: 'application/vnd.apache.parquet', 'Accept-Encoding': name },
    })
    assert.equal(packed.headers['content-encoding'], name)
    assert.equal(packed.headers['content-type'], 'application/vnd.apache.parquet')
    assert.deepEqual(decode(packed.bytes), await exported())
  })

test('a reader rejects a truncated file', async () => {
  await insertRecords(service, 'parcel', [{ code: 'a' }])
  const bytes = await exported()
  await assert.rejects(readParquet(bytes.subarray(0, -1)), /magic|footer|parquet/i)
})

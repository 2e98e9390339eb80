/** A Parquet file of so many rows that it has several groups. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { emptyTables, shareExports } from '../../support/an-export-project.ts'
import { exportOf } from '../../support/export-request.ts'
import { queryParquet, readParquet } from '../../support/read-parquet.ts'

const many = 150_000

const service = await shareExports()
beforeEach(() => emptyTables(service, 'item'))

const fill = () =>
  service.database.pool.query(
    `INSERT INTO records.item (code, count, serial, total, kind, is_new, day, moment, note)
     SELECT 'code ' || n, n, n * 10000000000, n / 7.0, CASE n % 3 WHEN 0 THEN 'plain' WHEN 1 THEN '-bad' END,
       n % 2 = 0, date '1969-12-31' + n, timestamptz '1969-12-31Z' + n * interval '1001 ms',
       CASE WHEN n % 100 = 0 THEN repeat(md5(n::text), 40) END
     FROM generate_series(1, $1::integer) n`,
    [many],
  )

test('many rows are several groups, whose bounds are correct', async () => {
  await fill()
  const { bytes } = await exportOf(service, '/item/export?format=parquet')
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
       count(*) FILTER (kind IS DISTINCT FROM CASE id % 3 WHEN 0 THEN 'plain' WHEN 1 THEN '-bad' END),
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

/** Rows per second over HTTP against psql, which runs the same COPY; by turns, in the same minutes. */
import { median } from '../figures.ts'
import type { Place } from '../place.ts'
import { aimOf, type Table } from '../report.ts'
import { copyByPsql, copyStatement, download } from './export-client.ts'

const rounds = 5

/** Median of 5 after one round that warms both up. */
export const compareWithPsql = async (place: Place, rows: number): Promise<Table> => {
  const statement = await copyStatement(place)
  const ours: number[] = []
  const theirs: number[] = []
  const firstBytes: number[] = []
  const ratios: number[] = []
  let bytes = 0
  for (let round = -1; round < rounds; round++) {
    const psqlMs = await copyByPsql(place, statement)
    const downloaded = await download(place)
    if (round < 0) continue
    bytes = downloaded.bytes
    theirs.push(psqlMs)
    ours.push(downloaded.ms)
    ratios.push(psqlMs / downloaded.ms)
    firstBytes.push(downloaded.firstByteMs)
  }
  const rowOf = (what: string, ms: number) => ({
    what,
    seconds: ms / 1000,
    'rows/s': (rows / ms) * 1000,
    'MB/s': bytes / ms / 1000,
  })
  const ratio = median(theirs) / median(ours)
  const range = `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`
  const firstByteMs = median(firstBytes)
  return {
    title: 'CSV of all rows, 18 columns, median of 5',
    rows: [
      rowOf('psql, COPY > /dev/null', median(theirs)),
      {
        ...rowOf('Docket, curl > /dev/null', median(ours)),
        ratio,
        range,
        ...aimOf(ratio, { least: 0.9 }),
      },
      {
        what: 'Docket, first byte',
        seconds: firstByteMs / 1000,
        ...aimOf(firstByteMs / 1000, { most: 0.05 }),
      },
    ],
  }
}

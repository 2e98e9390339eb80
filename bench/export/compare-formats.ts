/** The other formats and the compressed CSV, for information: they have no aim. */
import type { Place } from '../place.ts'
import type { Row, Table } from '../report.ts'
import { download } from './export-client.ts'

const kinds = [
  { what: 'csv', query: '' },
  { what: 'csv, zstd', query: '', encoding: 'zstd' },
  { what: 'csv, gzip', query: '', encoding: 'gzip' },
  { what: 'ndjson', query: '?format=ndjson' },
  { what: 'json', query: '?format=json' },
  { what: 'xlsx', query: '?format=xlsx' },
  { what: 'parquet', query: '?format=parquet' },
]
// A worksheet has 1,048,576 rows.
const maxSheetRows = 1_000_000

/** One run each. */
export const compareFormats = async (place: Place, rows: number): Promise<Table> => {
  const figures: Row[] = []
  let plainMs = Number.NaN
  for (const { what, ...wish } of kinds) {
    if (what === 'xlsx' && rows > maxSheetRows) continue
    const { ms, bytes, firstByteMs } = await download(place, wish)
    if (what === 'csv') plainMs = ms
    figures.push({
      what,
      seconds: ms / 1000,
      'rows/s': (rows / ms) * 1000,
      MB: bytes / 1e6,
      'first byte ms': firstByteMs,
      'rate to csv': plainMs / ms,
    })
  }
  return { title: 'Formats, one run each', rows: figures }
}

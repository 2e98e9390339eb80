/** How much the service process grows from a small export to a large one. Linux only. */
import { memoryMiB } from '../memory.ts'
import type { Place } from '../place.ts'
import { aimOf, type Table } from '../report.ts'
import { download } from './export-client.ts'

const aimMiB = 30

/** Peak resident memory after exports of 1,000 rows, and after one of all rows. */
export const measureMemory = async (place: Place, rows: number): Promise<Table> => {
  const title = 'Peak resident memory of the service process (MiB)'
  for (let run = 0; run < 5; run++) await download(place, { query: '?limit=1000' })
  const small = await memoryMiB(place.pid, 'VmHWM')
  if (small === undefined) return { title, rows: [{ what: 'not measured: no /proc here' }] }
  await download(place)
  const large = (await memoryMiB(place.pid, 'VmHWM')) ?? Number.NaN
  return {
    title,
    rows: [
      { what: 'export of 1,000 rows', MiB: small },
      { what: `export of ${rows.toLocaleString('en')} rows`, MiB: large },
      { what: 'growth', MiB: large - small, ...aimOf(large - small, { most: aimMiB }) },
    ],
  }
}

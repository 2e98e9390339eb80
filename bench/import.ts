/**
 * What an import costs: 1,000,000 rows of 12 columns with two links, compared with a COPY of the same rows, whose links are ids
 * already, into the same table and the history, with the same indexes and foreign keys.
 */
import { createReadStream, createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { copyIn } from '../src/database/copy.ts'
import type { Pool } from '../src/database/pool.ts'
import type { Environment, Service } from './environment.ts'
import { median, timed } from './figures.ts'
import { fill } from './fill.ts'
import { load } from './load.ts'
import { memoryMiB, watchMemory } from './memory.ts'
import { aimOf, note, type Row, type Table } from './report.ts'

const heads =
  'number,product.sku,country.code,title,shipped_on,due_on,currency,weight,total,pieces,is_express,notes'
const columns = [
  ...['number', 'product_id', 'country_id', 'title', 'shipped_on', 'due_on', 'currency', 'weight'],
  ...['total', 'pieces', 'is_express', 'notes'],
]
const products = 5000
const countries = 200

type Cells = {
  readonly links: readonly [string, string]
  readonly rest: readonly string[]
  readonly number: string
}

/** The same cells for the file and for COPY. */
const cellsOf = (n: number): Cells => {
  const day = (offset: number) =>
    `2026-${String(1 + ((n + offset) % 12)).padStart(2, '0')}-${String(1 + (n % 28)).padStart(2, '0')}`
  return {
    number: `S-${String(n).padStart(8, '0')}`,
    links: [`V${1 + (n % products)}`, `L${1 + (n % countries)}`],
    rest: [
      `Shipment of ${n % 977} parts to the plant`,
      day(0),
      day(1),
      ['EUR', 'USD', 'HRK'][n % 3] ?? 'EUR',
      `${n % 900}.${String(n % 1000).padStart(3, '0')}`,
      `${n % 50_000}.${String(n % 100).padStart(2, '0')}`,
      String(n % 400),
      n % 5 === 0 ? 'true' : 'false',
      n % 4 === 0 ? `Note ${n} with a few words of its own` : '',
    ],
  }
}

const write = async (path: string, rows: number, head: string, line: (n: number) => string) => {
  const file = createWriteStream(path)
  if (head !== '') file.write(head)
  let text = ''
  for (let n = 1; n <= rows; n++) {
    text += line(n)
    if (text.length < 1_000_000 && n < rows) continue
    if (!file.write(text)) await new Promise((resolve) => file.once('drain', resolve))
    text = ''
  }
  await new Promise<void>((resolve) => file.end(resolve))
}

const fillLinks = [
  `INSERT INTO records.product (sku, name, unit, _created_by, _updated_by)
   SELECT 'V' || n, 'Product ' || n, 'kg', 1, 1 FROM generate_series(1, ${products}) n`,
  `INSERT INTO records.country (code, name, _created_by, _updated_by)
   SELECT 'L' || n, 'Country ' || n, 1, 1 FROM generate_series(1, ${countries}) n`,
  'VACUUM (ANALYZE) records.product, records.country',
]

const emptied = 'TRUNCATE records.shipment, docket.history RESTART IDENTITY'

/** COPY of a file on a connection of its own. */
const copyFile = async ({ pool }: Environment, statement: string, path: string): Promise<void> => {
  const connection = await pool.connect()
  try {
    const copying = await copyIn(connection, statement)
    for await (const chunk of createReadStream(path, { highWaterMark: 262_144 }))
      await copying.write(chunk as Buffer)
    await copying.end()
  } finally {
    connection.release()
  }
}

type Run = {
  readonly id: number
  readonly state: string
  readonly error: string | null
  readonly faulty: number
}

const ask = async (service: Service, method: string, path: string, body?: Buffer): Promise<Run> => {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${service.token}`,
      ...(body && { 'Content-Type': 'text/csv' }),
    },
    ...(body && { body: new Uint8Array(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
  const answer = JSON.parse(text)
  return answer.run ?? answer
}

/** Waits until the run is in one of these states, and returns how long that took. */
const until = async (service: Service, id: number, states: readonly string[]): Promise<number> =>
  timed(async () => {
    for (;;) {
      const run = await ask(service, 'GET', `/api/imports/${id}`)
      if (states.includes(run.state)) return
      if (['failed', 'stopped'].includes(run.state)) throw new Error(String(run.error))
      await delay(50)
    }
  })

const ofGet = { path: '/product/7', method: 'GET' } as const

type Files = { readonly csv: string; readonly table: string; readonly history: string }

const writeFiles = async (pool: Pool, files: Files, rows: number): Promise<void> => {
  note('Writing the files …\n')
  await write(files.csv, rows, `${heads}\r\n`, (n) => {
    const { number, links, rest } = cellsOf(n)
    return `${[number, ...links, ...rest].join(',')}\r\n`
  })
  const { rows: ids } = await pool.query<{ p: number; c: number }>(
    `SELECT (SELECT min(id) FROM records.product) AS p, (SELECT min(id) FROM records.country) AS c`,
  )
  const linked = (n: number) => [
    Number(ids[0]?.p) + (n % products),
    Number(ids[0]?.c) + (n % countries),
  ]
  await write(files.table, rows, '', (n) => {
    const { number, rest } = cellsOf(n)
    return `${[number, ...linked(n), ...rest, 1, 1].join(',')}\n`
  })
  await write(files.history, rows, '', (n) => {
    const { number, rest } = cellsOf(n)
    const values = [number, ...linked(n), ...rest].map((value, at) => [columns[at], value] as const)
    const changes = Object.fromEntries(
      values.flatMap(([name, after]) => (after === '' ? [] : [[name, { after }]])),
    )
    return `shipment,${n},create,"${JSON.stringify(changes).replaceAll('"', '""')}",1\n`
  })
}

const copyRows = async (environment: Environment, files: Files) => {
  note('COPY …\n')
  await environment.pool.query(emptied)
  const list = [...columns, '_created_by', '_updated_by'].join(', ')
  const table = await timed(() =>
    copyFile(environment, `COPY records.shipment (${list}) FROM STDIN (FORMAT csv)`, files.table),
  )
  const history = await timed(() =>
    copyFile(
      environment,
      `COPY docket.history (entity_key, entity_id, operation, changes, user_id) FROM STDIN (FORMAT csv)`,
      files.history,
    ),
  )
  await environment.pool.query(emptied)
  await environment.pool.query('CHECKPOINT')
  return { table, history }
}

const gets = { request: () => ofGet, ms: 5000, perSecond: 50 }
// A service that nobody has asked for a while gives memory back, and answers the first requests slowly.
const warming = { request: () => ofGet, ms: 20_000, perSecond: 500 }
const windowsAlone = 5

/** The median p99 of windows of time, at least one, until it is over. */
const medianP99 = async (service: Service, isOver: (windows: number) => boolean) => {
  const windows: number[] = []
  do windows.push((await load(service, gets)).p99)
  while (!isOver(windows.length))
  return median(windows)
}

const importRows = async (service: Service, path: string) => {
  note('Import …\n')
  await load(service, warming)
  const alone = await medianP99(service, (windows) => windows === windowsAlone)
  const body = await readFile(path)
  const ms = { upload: 0, read: 0, check: 0, write: 0 }
  let beside = 0
  const peakBefore = (await memoryMiB(service.pid, 'VmHWM')) ?? Number.NaN
  const { growth = Number.NaN, peak = Number.NaN } = await watchMemory(service.pid, async () => {
    let id = 0
    ms.upload = await timed(async () => {
      const query = 'dryRun=true&allOrNothing=false'
      id = (await ask(service, 'POST', `/shipment/import?${query}`, body)).id
    })
    ms.read = await until(service, id, ['checking', 'ready'])
    ms.check = await until(service, id, ['ready'])
    let isWritten = false
    const loaded = medianP99(service, () => isWritten)
    await ask(service, 'POST', `/api/imports/${id}/start`)
    ms.write = await until(service, id, ['done'])
    isWritten = true
    beside = await loaded
  })
  return { ms, growth, peakGrowth: peak - peakBefore, slower: beside / alone }
}

/** The times and ratios of one run. */
export const benchImport = async (environment: Environment, rows: number): Promise<Table[]> => {
  const { pool, project } = environment
  await fill(environment, 'products and countries', fillLinks)
  const fileOf = (name: string) => join(project, `${name}.csv`)
  const files = { csv: fileOf('shipments'), table: fileOf('table'), history: fileOf('history') }
  const service = await environment.startService()
  await writeFiles(pool, files, rows)
  const copied = await copyRows(environment, files)
  const { ms, growth, peakGrowth, slower } = await importRows(service, files.csv)
  const { rows: found } = await pool.query(`SELECT count(*) AS n FROM records.shipment`)
  if (Number(found[0]?.n) !== rows) throw new Error(`${found[0]?.n} rows are there.`)
  const times = { 'copy: table': copied.table, 'copy: history': copied.history, ...ms }
  const ratio = (what: string, value: number, aim: Parameters<typeof aimOf>[1]): Row => ({
    what,
    value,
    ...aimOf(value, aim),
  })
  const ofBoth = (copied.table + copied.history) / ms.write
  return [
    {
      title: 'Milliseconds',
      rows: Object.entries(times).map(([what, one]) => ({
        what,
        ms: one,
        'rows/s': (rows / one) * 1000,
      })),
    },
    {
      title: 'Ratios',
      rows: [
        ratio('batches: speed of COPY into table and history = 1', ofBoth, { least: 0.5 }),
        ratio('batches: speed of COPY into the table = 1', copied.table / ms.write, {
          least: 0.25,
        }),
        ratio('checks, seconds', ms.check / 1000, { most: 20 }),
        ratio('memory of the service, MiB more', growth, { most: 60 }),
        { what: 'more than its peak from its start until then, MiB', value: peakGrowth },
        ratio('p99 of GET beside', slower, { most: 3 }),
      ],
    },
  ]
}

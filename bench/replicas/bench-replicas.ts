/** Reads on the primary alone and with two replicas, by turns, and reads of one's own writes in another process. */
import type { Environment, Service } from '../environment.ts'
import { byTurns, median, rounds, sampler, spreadOf, timed } from '../figures.ts'
import { openClient } from '../http-client.ts'
import { fillInvoices } from '../invoices.ts'
import { type Load, load } from '../load.ts'
import { readInvoice } from '../records.ts'
import { aimOf, note, type Row, type Table } from '../report.ts'
import { startLiveStandby } from './live-standby.ts'

const pairs = 2_000

/** All servers, services and clients share the machine: the table shows what a replica costs, not what it adds. */
export const benchReplicas = async (environment: Environment, rows: number): Promise<Table[]> => {
  await fillInvoices(environment, rows)
  note('Starting two standbys …\n')
  const standbys = [await startLiveStandby(environment), await startLiveStandby(environment)]
  try {
    const DATABASE_REPLICA_URL = standbys.map((one) => one.connectionString).join(' ')
    const start = (variables = {}) => environment.startService(['--no-jobs'], variables)
    const alone = await start()
    const [writer, reader] = [
      await start({ DATABASE_REPLICA_URL }),
      await start({ DATABASE_REPLICA_URL }),
    ]
    return [
      ...(await measureReads(alone, reader, rows)),
      await measureOwnWrites(writer, reader, rows),
    ]
  } finally {
    for (const { stop } of standbys) await stop()
  }
}

const measureReads = async (
  alone: Service,
  replicated: Service,
  rows: number,
): Promise<Table[]> => {
  const operations = [
    { what: 'read an invoice', request: readInvoice(rows) },
    { what: 'list invoices', request: () => ({ path: '/invoice?limit=20' }) },
  ]
  const tables: Table[] = []
  for (const { what, request } of operations) {
    const options: Load = { request, ms: 2000, connections: 8 }
    const ways = [
      { where: 'primary alone', ...sampler(() => load(alone, options)) },
      { where: 'two replicas', ...sampler(() => load(replicated, options)) },
    ]
    await byTurns(ways)
    const perSecond = ways.map(({ samples }) => median(samples.map((one) => one['req/s'])))
    tables.push({
      title: `${what}, 8 connections, median of ${rounds} (ms)`,
      rows: ways.map(({ where, samples }, index) => ({
        where,
        'req/s': perSecond[index],
        p50: median(samples.map(({ p50 }) => p50)),
        p99: median(samples.map(({ p99 }) => p99)),
        ratio: (perSecond[index] ?? 0) / (perSecond[0] ?? 1),
      })),
    })
  }
  return tables
}

type Invoice = { readonly quantity: number }

/** Each change by one process is read in another one, with its position. */
const measureOwnWrites = async (writer: Service, reader: Service, rows: number): Promise<Table> => {
  const send = openClient(reader, 1)
  const before = await readsOf(reader)
  const samples: number[] = []
  let stale = 0
  for (let turn = 0; turn < pairs; turn++) {
    const path = `/invoice/${1 + (turn % rows)}`
    const position = await change(writer, path, turn)
    let text = ''
    const headers = { 'Docket-Position': position }
    samples.push(
      await timed(async () => {
        text = (await send({ path, headers })).toString()
      }),
    )
    if ((JSON.parse(text) as Invoice).quantity !== turn) stale++
  }
  const after = await readsOf(reader)
  const share = (after.replicas - before.replicas) / pairs
  const row: Row = {
    pairs,
    stale,
    'on replicas': share,
    ...spreadOf(samples),
    ...aimOf(share, { least: 0.9 }),
  }
  return { title: 'Write in one process, read in another (ms of the read)', rows: [row] }
}

const change = async ({ url, token }: Service, path: string, quantity: number): Promise<string> => {
  const response = await fetch(`${url}${path}`, {
    method: 'PATCH',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ quantity }),
  })
  await response.arrayBuffer()
  const position = response.headers.get('docket-position')
  if (!response.ok || position === null)
    throw new Error(`PATCH ${path} was answered ${response.status} without a position`)
  return position
}

/** How many reads of a service the replicas have answered. */
const readsOf = async (service: Service): Promise<{ readonly replicas: number }> => {
  const text = (await openClient(service)({ path: '/api/metrics' })).toString()
  const lines = [...text.matchAll(/^docket_reads_total\{server="([^"]*)"\} (\d+)$/gm)]
  const ofReplicas = lines.filter(([, server]) => server !== 'primary')
  return { replicas: ofReplicas.reduce((all, [, , count]) => all + Number(count), 0) }
}

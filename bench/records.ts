/** Create, read, list and search compared with bare Fastify routes on the same table, by turns. */
import { randomUUID } from 'node:crypto'
import type { Environment } from './environment.ts'
import { rounds } from './figures.ts'
import type { Request } from './http-client.ts'
import { customerCount, fillInvoices } from './invoices.ts'
import { assertSameAnswers, bareServer, compareWithBare } from './load.ts'
import type { Table } from './report.ts'

/** A number from 1 to the limit. */
export const randomId = (limit: number): number => 1 + Math.floor(Math.random() * limit)

/** A request for one of so many invoices. */
export const readInvoice = (rows: number) => (): Request => ({ path: `/invoice/${randomId(rows)}` })

const createInvoice = (): Request => ({
  method: 'POST',
  path: '/invoice',
  body: {
    number: randomUUID().slice(0, 32),
    title: 'Delivery, part 3',
    notes: 'He said "ship it"\nand größer',
    reference: 'a7f3c2',
    status: 'open',
    quantity: randomId(1000),
    net: '1234.50',
    tax: '246.90',
    rate: '0.2000',
    issued_on: '2026-05-04',
    due_on: '2026-06-04',
    is_paid: false,
    sent_at: '2026-05-04T08:30:00.000Z',
    customer_id: randomId(customerCount),
  },
})

const searchInvoices = (): Request => ({
  method: 'POST',
  path: '/invoice/search?limit=20',
  body: { $where: { customer: randomId(customerCount), quantity: { $gte: 100 } } },
})

const operationsOf = (rows: number) => [
  { what: 'read an invoice', minRatio: 0.7, request: readInvoice(rows) },
  { what: 'list invoices', minRatio: 0.7, request: () => ({ path: '/invoice?limit=20' }) },
  { what: 'search invoices', minRatio: 0.7, request: searchInvoices },
  { what: 'create an invoice', minRatio: 0.5, request: createInvoice },
]

/** A table per operation, with a pair of rows for 1, 8 and 32 connections. */
export const benchRecords = async (environment: Environment, rows: number): Promise<Table[]> => {
  await fillInvoices(environment, rows)
  const pair = {
    docket: await environment.startService(),
    bare: await environment.startPeer(bareServer),
  }
  await assertSameAnswers(pair, ['/invoice/7', '/invoice?limit=20'])
  const tables: Table[] = []
  for (const operation of operationsOf(rows)) {
    const comparisons = [1, 8, 32].map((connections) => ({ ...operation, connections, ms: 2000 }))
    const title = `${operation.what}, median of ${rounds} (ms)`
    tables.push({ title, rows: await compareWithBare(pair, comparisons) })
  }
  return tables
}

/**
 * The peer: Fastify routes that run one prepared statement with `pg` and answer with what came. No
 * caller, no rights, no checks, no history. Started with DATABASE_URL.
 */
import pg from 'pg'
import { openBare } from '../bare.ts'

// A date stays the text that it is; the driver would make it a moment.
const types = {
  getTypeParser: (oid: number, format: 'text') =>
    oid === 1082 ? (text: string) => text : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig
const { server, pool, listen } = openBare(types)

const written = [
  ...['number', 'title', 'notes', 'reference', 'status', 'quantity', 'net', 'tax', 'rate'],
  ...['issued_on', 'due_on', 'is_paid', 'sent_at', 'customer_id'],
]
const auditColumns = '_is_deleted, _created_by, _updated_by, _created_at, _updated_at'
const columns = `id, ${written.join(', ')}, ${auditColumns}`
const table = 'records.invoice'
const statements = {
  read: `SELECT ${columns} FROM ${table} WHERE NOT _is_deleted AND id = $1`,
  list: `SELECT ${columns} FROM ${table} WHERE NOT _is_deleted ORDER BY id LIMIT $1`,
  search: `SELECT ${columns} FROM ${table} WHERE NOT _is_deleted AND customer_id = $1 AND quantity >= $2 ORDER BY id LIMIT $3`,
  create: `INSERT INTO ${table} (${written.join(', ')}, _created_by, _updated_by) VALUES (${written.map((_, index) => `$${index + 1}`).join(', ')}, 1, 1) RETURNING ${columns}`,
}

const rowsOf = async (name: keyof typeof statements, values: readonly unknown[]) => {
  const result = await pool.query({ name, text: statements[name], values: [...values] })
  return result.rows
}

type Query = { Querystring: { limit: number } }
type Search = Query & { Body: { $where: { customer: number; quantity: { $gte: number } } } }

server.get<{ Params: { id: string } }>('/invoice/:id', async ({ params }) => {
  const [row] = await rowsOf('read', [params.id])
  return row
})
server.get<Query>('/invoice', async ({ query }) => ({ data: await rowsOf('list', [query.limit]) }))
server.post<Search>('/invoice/search', async ({ body, query }) => {
  const { customer, quantity } = body.$where
  return { data: await rowsOf('search', [customer, quantity.$gte, query.limit]) }
})
server.post<{ Body: Record<string, unknown> }>('/invoice', async ({ body }, reply) => {
  const [row] = await rowsOf(
    'create',
    written.map((name) => body[name]),
  )
  return reply.status(201).send(row)
})
await listen()

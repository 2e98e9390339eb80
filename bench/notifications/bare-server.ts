/**
 * The peer: Fastify routes with the best statement for each question by hand, and no caller, no check
 * of the request. Started with DATABASE_URL and USER_ID.
 */
import { openBare } from '../bare.ts'

const { USER_ID } = process.env
const { server, pool, listen } = openBare()
const columns = '_id, user_id, entity_key, entity_id, content, timestamp, seen'
const table = 'docket.notification'

// Rows and counters in one statement; two marks of the same rows would lock each other up without
// an order.
const mark = (seen: boolean, rows: string) => `
  WITH chosen AS (SELECT _id FROM ${table} WHERE user_id = $1 AND ${seen ? 'NOT seen' : 'seen'} AND ${rows} ORDER BY _id FOR UPDATE),
  marked AS (UPDATE ${table} n SET seen = ${seen} FROM chosen c WHERE n._id = c._id RETURNING n._id),
  counted AS (SELECT count(*)::integer AS count FROM marked),
  kept AS (UPDATE docket.notification_count SET unseen = unseen ${seen ? '-' : '+'} count FROM counted WHERE user_id = $1)
  SELECT count FROM counted`
const ofIds = '_id = ANY ($2)'
const before = 'timestamp <= $2'

const statements = {
  all: `SELECT ${columns} FROM ${table} WHERE user_id = $1 ORDER BY timestamp DESC LIMIT $2`,
  unseen: `SELECT ${columns} FROM ${table} WHERE user_id = $1 AND NOT seen ORDER BY timestamp DESC LIMIT $2`,
  countAll: 'SELECT total AS count FROM docket.notification_count WHERE user_id = $1',
  countUnseen: 'SELECT unseen AS count FROM docket.notification_count WHERE user_id = $1',
  seenIds: mark(true, ofIds),
  unseenIds: mark(false, ofIds),
  seenBefore: mark(true, before),
  unseenBefore: mark(false, before),
}

const run = (name: keyof typeof statements, ...values: unknown[]) =>
  pool.query({ name, text: statements[name], values: [USER_ID, ...values] })

type Content = { due_at: string | null }
type Query = { Querystring: { status?: string; limit?: number } }
type Mark = { Body: { ids: string[]; status: 'seen' | 'unseen'; before?: string } }

server.get<Query>('/api/notifications', async ({ query }) => {
  const { rows } = await run(query.status === 'unseen' ? 'unseen' : 'all', query.limit ?? 20)
  return rows.map(({ content, ...row }) => {
    const { due_at: due_date, ...rest } = content as Content
    return { ...row, content: { ...rest, ...(due_date !== null && { due_date }) } }
  })
})
server.get<Query>('/api/notifications/count', async ({ query }) => {
  const { rows } = await run(query.status === 'unseen' ? 'countUnseen' : 'countAll')
  return { count: rows[0]?.count }
})
server.put<Mark>('/api/notifications/mark', async ({ body }) => {
  const { ids, status, before: moment } = body
  const { rows } = moment ? await run(`${status}Before`, moment) : await run(`${status}Ids`, ids)
  return { count: rows[0]?.count }
})
await listen()

/**
 * The reference server: Fastify routes that each run one prepared statement, the best hand-written code for
 * the same response, without callers, permissions or checks. Started with DATABASE_URL; the caller is user
 * 1.
 */
import fastify from 'fastify'
import pg from 'pg'

// A date stays text; the driver would convert it to a point in time.
const types = {
  getTypeParser: (oid: number, format: 'text') =>
    oid === 1082 ? (text: string) => text : pg.types.getTypeParser(oid, format),
} as pg.CustomTypesConfig
const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: 10,
  types,
  options: '-c timezone=UTC',
})
const server = fastify()

type Row = Record<string, unknown>

const prepared =
  (name: string, text: string) =>
  async (...values: unknown[]): Promise<Row[]> =>
    (await pool.query<Row>({ name, text, values })).rows

/** Like `prepared`, for a statement that returns the JSON of the whole response as `json`. */
const preparedJson = (name: string, text: string) => {
  const run = prepared(name, text)
  return async (...values: unknown[]): Promise<unknown> => (await run(...values))[0]?.json
}

const jsonType = 'application/json; charset=utf-8'

type WithId = { Params: { id: string } }
type Limited = { Querystring: { limit: number } }

// Invoices.

const written = [
  ...['number', 'title', 'notes', 'reference', 'status', 'quantity', 'net', 'tax', 'rate'],
  ...['issued_on', 'due_on', 'is_paid', 'sent_at', 'customer_id'],
]
const auditColumns = '_is_deleted, _created_by, _updated_by, _created_at, _updated_at'
const selectInvoices = `SELECT id, ${written.join(', ')}, ${auditColumns} FROM records.invoice WHERE NOT _is_deleted`

const readInvoice = prepared('read invoice', `${selectInvoices} AND id = $1`)
server.get<WithId>('/invoice/:id', async ({ params }) => (await readInvoice(params.id))[0])

const listInvoices = prepared('list invoices', `${selectInvoices} ORDER BY id LIMIT $1`)
server.get<Limited>('/invoice', async ({ query }) => ({ data: await listInvoices(query.limit) }))

const searchInvoices = prepared(
  'search invoices',
  `${selectInvoices} AND customer_id = $1 AND quantity >= $2 ORDER BY id LIMIT $3`,
)
type Search = Limited & { Body: { $where: { customer: number; quantity: { $gte: number } } } }
server.post<Search>('/invoice/search', async ({ body, query }) => {
  const { customer, quantity } = body.$where
  return { data: await searchInvoices(customer, quantity.$gte, query.limit) }
})

const createInvoice = prepared(
  'create invoice',
  `INSERT INTO records.invoice (${written.join(', ')}, _created_by, _updated_by)
   VALUES (${written.map((_, index) => `$${index + 1}`).join(', ')}, 1, 1)
   RETURNING id, ${written.join(', ')}, ${auditColumns}`,
)
server.post<{ Body: Row }>('/invoice', async ({ body }, reply) => {
  const [row] = await createInvoice(...written.map((name) => body[name]))
  return reply.status(201).send(row)
})

// Tasks.

const objectOf = (alias: string, columns: readonly string[], others = ''): string => {
  const members = columns.map((column) => {
    const value = `${alias}.${column}`
    const isTime = column.endsWith('_at') || column === 'due_date'
    return `'${column}', ${isTime ? `to_char(${value}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : value}`
  })
  return `json_build_object(${members.join(', ')}${others})`
}
const audit = auditColumns.split(', ')
const user = objectOf('u', [
  ...['id', ...audit, 'identity_provider_user_id', 'first_name', 'last_name', 'full_name'],
  ...['username', 'email', 'phone', 'job_title', 'is_contact', 'security_role_id', 'is_active'],
  ...['is_blocked', 'blocked_at'],
])
const links = `(
  SELECT coalesce(json_agg(json_build_object('key', l.key, 'entity_id', l.entity_id) ORDER BY l.key, l.entity_id), '[]')
  FROM docket.task_link l WHERE l.task_id = t.id)`
const task = objectOf(
  't',
  [
    ...['id', 'entity_id', 'key', 'description', 'is_completed', 'due_date', 'assigne_id', 'type'],
    ...['payload', ...audit, '_version'],
  ],
  `, 'updated_by', ${user}, 'related_entities', ${links}`,
)
const tasks = `coalesce(json_agg(${task} ORDER BY t.due_date, t.id), '[]')`
const updatedBy = 'LEFT JOIN records."user" u ON u.id = t._updated_by'

const listTasks = preparedJson(
  'list tasks',
  `SELECT ${tasks}::text AS json FROM (
     SELECT * FROM records.task WHERE key = 'invoice' AND entity_id = $1 AND NOT _is_deleted
     UNION ALL
     SELECT o.* FROM docket.task_link l JOIN records.task o ON o.id = l.task_id
     WHERE l.key = 'invoice' AND l.entity_id = $1 AND NOT o._is_deleted AND o.entity_id <> $1
   ) t ${updatedBy}`,
)
server.get<WithId>('/invoice/:id/task', async ({ params }, reply) =>
  reply.type(jsonType).send(await listTasks(params.id)),
)

const createTask = preparedJson(
  'create task',
  `WITH made AS (
     INSERT INTO records.task (entity_id, key, description, is_completed, due_date, assigne_id, type, payload, _created_by, _updated_by)
     SELECT $1, 'invoice', $2, false, $3, $4, 'native', $5, 1, 1 RETURNING id
   ), links AS (
     INSERT INTO docket.task_link SELECT made.id, 'invoice', x FROM made, unnest($6::int[]) x ON CONFLICT DO NOTHING
   ), history AS (
     INSERT INTO docket.history (entity_key, entity_id, part_key, part_id, operation, changes, user_id)
     SELECT 'invoice', $1, 'task', id, 'createTask', $7, 1 FROM made
   ) SELECT json_build_object('id', id)::text AS json FROM made`,
)
type NewTask = WithId & { Body: Row & { related_entities: { entity_id: number }[] } }
server.post<NewTask>('/invoice/:id/task', async ({ params, body }, reply) => {
  const { description, due_date, assigne_id, payload } = body
  const linked = body.related_entities.map((one) => one.entity_id)
  const values = [params.id, description, due_date, assigne_id, payload, linked]
  const json = await createTask(...values, JSON.stringify(body))
  return reply.status(201).type(jsonType).send(json)
})

const completeTask = prepared(
  'complete task',
  `WITH done AS (
     UPDATE records.task SET is_completed = $2, _updated_by = 1, _updated_at = now(), _version = _version + 1
     WHERE id = $1 AND NOT _is_deleted RETURNING id, entity_id
   )
   INSERT INTO docket.history (entity_key, entity_id, part_key, part_id, operation, changes, user_id)
   SELECT 'invoice', entity_id, 'task', id, 'completeTask', '{"is_completed":{"before":false,"after":true}}', 1 FROM done`,
)
type Completion = { Params: { taskId: string }; Body: { is_completed: boolean } }
server.put<Completion>('/invoice/:id/:taskId', async ({ params, body }, reply) => {
  await completeTask(params.taskId, body.is_completed)
  return reply.status(204).send()
})

const listOverdue = preparedJson(
  'list overdue tasks',
  `SELECT json_build_object('data', ${tasks})::text AS json FROM (
     SELECT * FROM records.task
     WHERE assigne_id = 1 AND NOT is_completed AND NOT _is_deleted AND due_date < now()
     ORDER BY due_date, id LIMIT 20
   ) t ${updatedBy}`,
)
server.get('/api/tasks', async (_, reply) => reply.type(jsonType).send(await listOverdue()))

const today = `date_trunc('day', now())`
const tomorrow = `${today} + interval '1 day'`
const countTasks = preparedJson(
  'count tasks',
  `SELECT json_build_object(
     'open', count(*) FILTER (WHERE NOT is_completed),
     'overdue', count(*) FILTER (WHERE NOT is_completed AND due_date < now()),
     'today', count(*) FILTER (WHERE NOT is_completed AND due_date >= ${today} AND due_date < ${tomorrow}),
     'upcoming', count(*) FILTER (WHERE NOT is_completed AND due_date >= ${tomorrow}),
     'completed', count(*) FILTER (WHERE is_completed)
   )::text AS json FROM records.task WHERE assigne_id = 1 AND NOT _is_deleted`,
)
server.get('/api/tasks/count', async (_, reply) => reply.type(jsonType).send(await countTasks()))

// Notifications.

const selectNotifications = (unseen: string): string => `
  SELECT _id, user_id, entity_key, entity_id, content, timestamp, seen
  FROM docket.notification WHERE user_id = 1${unseen} ORDER BY timestamp DESC LIMIT $1`
const lists = {
  all: prepared('list notifications', selectNotifications('')),
  unseen: prepared('list unseen notifications', selectNotifications(' AND NOT seen')),
}
type Kind = { Querystring: { status?: 'unseen'; limit: number } }
server.get<Kind>('/api/notifications', async ({ query }) => {
  const rows = await lists[query.status ?? 'all'](query.limit)
  return rows.map(({ content, ...row }) => {
    const { due_at: due_date, ...rest } = content as Row
    return { ...row, content: { ...rest, ...(due_date !== null && { due_date }) } }
  })
})

const selectCount = (column: string): string =>
  `SELECT ${column} AS count FROM docket.notification_count WHERE user_id = 1`
const counts = {
  all: prepared('count notifications', selectCount('total')),
  unseen: prepared('count unseen notifications', selectCount('unseen')),
}
server.get<Kind>(
  '/api/notifications/count',
  async ({ query }) => (await counts[query.status ?? 'all']())[0],
)

// Rows and counters in one statement; without an order, two marks of the same rows would deadlock.
const mark = (status: 'seen' | 'unseen', rows: string) => {
  const [wasSeen, isSeen, change] =
    status === 'seen' ? ['NOT seen', true, '-'] : ['seen', false, '+']
  return prepared(
    `mark ${status} where ${rows}`,
    `WITH chosen AS (
       SELECT _id FROM docket.notification
       WHERE user_id = 1 AND ${wasSeen} AND ${rows} ORDER BY _id FOR UPDATE
     ), marked AS (
       UPDATE docket.notification n SET seen = ${isSeen} FROM chosen c WHERE n._id = c._id RETURNING n._id
     ), counted AS (
       SELECT count(*)::integer AS count FROM marked
     ), kept AS (
       UPDATE docket.notification_count SET unseen = unseen ${change} count FROM counted WHERE user_id = 1
     ) SELECT count FROM counted`,
  )
}
const marks = {
  seen: { ids: mark('seen', '_id = ANY ($1)'), before: mark('seen', 'timestamp <= $1') },
  unseen: { ids: mark('unseen', '_id = ANY ($1)'), before: mark('unseen', 'timestamp <= $1') },
}
type Mark = { Body: { ids: string[]; status: 'seen' | 'unseen'; before?: string } }
server.put<Mark>('/api/notifications/mark', async ({ body: { ids, status, before } }) => {
  const { [before ? 'before' : 'ids']: run } = marks[status]
  return (await run(before ?? ids))[0]
})

const url = await server.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`The peer is ready at ${url}\n`)

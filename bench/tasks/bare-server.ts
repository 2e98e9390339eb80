/**
 * The peer: Fastify routes that run the best statement that we could write by hand for the same
 * answer. No caller, no rights, no checks. Started with DATABASE_URL; the caller is user 1.
 */
import type pg from 'pg'
import { openBare } from '../bare.ts'

const types = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig
const { server, pool, listen } = openBare(types)
pool.on('connect', (client) => void client.query(`SET timezone = 'UTC'`))

const time = (column: string) => `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const user = `json_build_object('id', u.id, '_is_deleted', u._is_deleted, '_created_by', u._created_by, '_updated_by', u._updated_by, '_created_at', ${time('u._created_at')}, '_updated_at', ${time('u._updated_at')}, 'identity_provider_user_id', u.identity_provider_user_id, 'first_name', u.first_name, 'last_name', u.last_name, 'full_name', u.full_name, 'username', u.username, 'email', u.email, 'phone', u.phone, 'job_title', u.job_title, 'is_contact', u.is_contact, 'security_role_id', u.security_role_id, 'is_active', u.is_active, 'is_blocked', u.is_blocked, 'blocked_at', ${time('u.blocked_at')})`
const related = `(SELECT coalesce(json_agg(json_build_object('key', l.key, 'entity_id', l.entity_id) ORDER BY l.key, l.entity_id), '[]') FROM docket.task_link l WHERE l.task_id = t.id)`
const task = `json_build_object('id', t.id, 'entity_id', t.entity_id, 'key', t.key, 'description', t.description, 'is_completed', t.is_completed, 'due_date', ${time('t.due_date')}, 'assigne_id', t.assigne_id, 'type', t.type, 'payload', t.payload, '_is_deleted', t._is_deleted, '_created_by', t._created_by, '_updated_by', t._updated_by, '_created_at', ${time('t._created_at')}, '_updated_at', ${time('t._updated_at')}, 'updated_by', ${user}, 'related_entities', ${related})`
const join = 'LEFT JOIN records."user" u ON u.id = t._updated_by'

const statements = {
  list: `SELECT coalesce(json_agg(${task} ORDER BY t.due_date, t.id), '[]') AS json FROM (SELECT * FROM records.task WHERE key = 'invoice' AND entity_id = $1 AND NOT _is_deleted UNION ALL SELECT o.* FROM docket.task_link l JOIN records.task o ON o.id = l.task_id WHERE l.key = 'invoice' AND l.entity_id = $1 AND NOT o._is_deleted AND o.entity_id <> $1) t ${join}`,
  create: `WITH made AS (INSERT INTO records.task (entity_id, key, description, is_completed, due_date, assigne_id, type, payload, _created_by, _updated_by) SELECT $1, 'invoice', $2, false, $3, $4, 'native', $5, 1, 1 RETURNING id), links AS (INSERT INTO docket.task_link SELECT made.id, 'invoice', x FROM made, unnest($6::int[]) x ON CONFLICT DO NOTHING), told AS (INSERT INTO docket.history (entity_key, entity_id, task_id, operation, changes, user_id) SELECT 'invoice', $1, id, 'createTask', $7, 1 FROM made) SELECT json_build_object('id', id) AS json FROM made`,
  complete: `WITH done AS (UPDATE records.task SET is_completed = $2, _updated_by = 1, _updated_at = now(), _version = _version + 1 WHERE id = $1 AND NOT _is_deleted RETURNING id, entity_id) INSERT INTO docket.history (entity_key, entity_id, task_id, operation, changes, user_id) SELECT 'invoice', entity_id, id, 'completeTask', '{"is_completed":{"before":false,"after":true}}', 1 FROM done`,
  overdue: `SELECT json_build_object('data', coalesce(json_agg(${task} ORDER BY t.due_date, t.id), '[]')) AS json FROM (SELECT * FROM records.task WHERE assigne_id = 1 AND NOT is_completed AND NOT _is_deleted AND due_date < now() ORDER BY due_date, id LIMIT 20) t ${join}`,
  count: `SELECT json_build_object('open', count(*) FILTER (WHERE NOT is_completed), 'overdue', count(*) FILTER (WHERE NOT is_completed AND due_date < now()), 'today', count(*) FILTER (WHERE NOT is_completed AND due_date >= date_trunc('day', now()) AND due_date < date_trunc('day', now()) + interval '1 day'), 'upcoming', count(*) FILTER (WHERE NOT is_completed AND due_date >= date_trunc('day', now()) + interval '1 day'), 'completed', count(*) FILTER (WHERE is_completed)) AS json FROM records.task WHERE assigne_id = 1 AND NOT _is_deleted`,
}

const run = async (name: keyof typeof statements, values: unknown[] = []): Promise<string> => {
  const { rows } = await pool.query({ name, text: statements[name], values })
  return rows[0]?.json ?? ''
}

type Id = { Params: { id: string } }
type Body = {
  description: string
  due_date: string
  assigne_id: number | null
  payload: string
  related_entities: { entity_id: number }[]
}

const json = 'application/json; charset=utf-8'
server.get<Id>('/invoice/:id/task', async ({ params }, reply) =>
  reply.type(json).send(await run('list', [params.id])),
)
server.post<Id & { Body: Body }>('/invoice/:id/task', async ({ params, body }, reply) => {
  const { description, due_date, assigne_id, payload, related_entities } = body
  const links = related_entities.map((one) => one.entity_id)
  const values = [
    params.id,
    description,
    due_date,
    assigne_id,
    payload,
    links,
    JSON.stringify(body),
  ]
  return reply
    .status(201)
    .type(json)
    .send(await run('create', values))
})
server.put<{ Params: { taskId: string }; Body: { is_completed: boolean } }>(
  '/invoice/:id/:taskId',
  async ({ params, body }, reply) => {
    await run('complete', [params.taskId, body.is_completed])
    return reply.status(204).send()
  },
)
server.get('/api/tasks', async (_request, reply) => reply.type(json).send(await run('overdue')))
server.get('/api/tasks/count', async (_request, reply) => reply.type(json).send(await run('count')))
await listen()

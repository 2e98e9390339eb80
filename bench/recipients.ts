/** Who of many users of a group gets a notification: what it costs to decide it, by the roles that each of them has. */
import { createPermissions } from '../src/auth/permissions.ts'
import { getEntity } from '../src/definitions/catalog.ts'
import { loadProject } from '../src/definitions/load-project.ts'
import type { NotificationRule } from '../src/definitions/notification-rules.ts'
import { decide } from '../src/notify/decide.ts'
import type { ChangeMessage } from '../src/records/write/change-events.ts'
import type { Environment } from './environment.ts'
import { byTurns, median, sampler, timed } from './figures.ts'
import { aimOf, type Row } from './report.ts'

const users = 5_000

/** Roles of the users of a group, and those of the group that they are compared with. */
const groups = [
  { roles: ['clerk'], over: undefined },
  { roles: ['account'], over: ['clerk'] },
  { roles: ['clerk', 'account'], over: ['account'] },
  { roles: ['account', 'seller'], over: ['account'] },
] as const

const codeOf = (roles: readonly string[]): string => roles.join('_')

/** A group of users who all have these roles. */
const addGroup = (roles: readonly string[]): readonly string[] => {
  const [first, ...others] = roles
  const code = codeOf(roles)
  const isOfGroup = `u.username LIKE 'user-%@${code}.example'`
  return [
    `INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email,
      security_role_id, customer_id, country_id)
    SELECT m, 'Group', 'User', m, m, m, r.id, 7, 8
    FROM records.security_role r, generate_series(1, ${users}) n, LATERAL (SELECT 'user-' || n || '@${code}.example' AS m) mail
    WHERE r.key = '${first}'`,
    ...others.map(
      (key) => `INSERT INTO records.user_role (user_id, security_role_id)
      SELECT u.id, r.id FROM records."user" u, records.security_role r WHERE ${isOfGroup} AND r.key = '${key}'`,
    ),
    `INSERT INTO records.user_group (name, code) VALUES ('${code}', '${code}')`,
    `INSERT INTO records.user_group_member (user_group_id, user_id)
    SELECT g.id, u.id FROM records.user_group g, records."user" u WHERE g.code = '${code}' AND ${isOfGroup}`,
  ]
}

/** Medians of PostgreSQL and the service together, by turns. */
export const compareRecipients = async ({ pool, project }: Environment): Promise<Row[]> => {
  const { project: loaded } = await loadProject(project)
  if (!loaded) throw new Error('The project of the benchmark has errors.')
  const { catalog } = loaded
  const deps = { pool, catalog, permissions: createPermissions(catalog), timeZone: 'UTC' }
  for (const { roles } of groups)
    for (const statement of addGroup(roles)) await pool.query(statement)
  await pool.query('VACUUM ANALYZE')
  const message: ChangeMessage = {
    event: 'bench',
    operation: 'create',
    entity_key: 'invoice',
    entity_id: 7,
    actor_id: 1,
    action: null,
    comment: null,
    at: '2026-01-01T00:00:00.000Z',
  }
  const measured = new Map(
    groups.map(({ roles }) => {
      const rule: NotificationRule = {
        operation: 'create',
        recipient: { userGroups: [codeOf(roles)] },
        content: { title: '{{ record.id }}' },
      }
      const run = async () => {
        const question = { entity: getEntity(catalog, 'invoice'), rule, messages: [message] }
        const { readUsers } = await decide(deps, question)
        for await (const _ of readUsers(pool));
      }
      return [codeOf(roles), sampler(() => timed(run))] as const
    }),
  )
  await byTurns([...measured.values()], { rounds: 40, warmUps: 5 })
  const msOf = (roles: readonly string[]) => median(measured.get(codeOf(roles))?.samples ?? [])
  return groups.map(({ roles, over }) => {
    const ratio = over && msOf(roles) / msOf(over)
    const compared = ratio ? { over: over.join(), ratio, ...aimOf(ratio, { most: 1.5 }) } : {}
    return { roles: roles.join(), ms: msOf(roles), ...compared }
  })
}

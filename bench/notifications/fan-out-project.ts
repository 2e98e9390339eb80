/** Entities whose records tell one person, ten or everyone, and the people who are told. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from '../../src/database/pool.ts'
import { storeBatches } from '../../src/notifications/jobs/notify-users.ts'

/** How many people there are, all of one group. */
export const memberCount = 100_000

/** The fields that name who is told, of the entities that have such. */
export const readersOf = {
  memo: ['reader'],
  circular: Array.from({ length: 10 }, (_, index) => `reader_${index + 1}`),
} as const

const telling = (key: string, readers: readonly string[], recipient: object) => ({
  key,
  name: key,
  displayField: 'title',
  fields: [
    { key: 'title', name: 'Title', type: 'string', required: true },
    ...readers.map((reader) => ({ key: reader, name: reader, type: 'manyToOne', entity: 'user' })),
  ],
  hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
  notifications: [
    {
      operation: 'create',
      recipient,
      content: {
        icon: 'bell',
        title: '{{ record.title }}',
        message: '{{ actor.full_name }} wrote {{ record.title }}.',
      },
    },
  ],
})

const definitions = [
  telling('memo', readersOf.memo, { userFields: readersOf.memo }),
  telling('circular', readersOf.circular, { userFields: readersOf.circular }),
  telling('announcement', [], { userGroups: ['everyone'] }),
]

/** Adds the entities to a project. */
export const addFanOutEntities = async (directory: string): Promise<void> => {
  const folder = join(directory, 'entities')
  await mkdir(folder, { recursive: true })
  for (const definition of definitions)
    await writeFile(join(folder, `${definition.key}.json`), JSON.stringify(definition))
}

/** The first and the last id of the group's members, which leave none out. */
export type Members = { readonly first: number; readonly last: number }

/** The name in their token of a member by number, from 1; 0 is a person outside the group. */
export const subjectOf = (member: number): string => `member-${member}`

export type People = { readonly members: Members; readonly outsiderId: number }

/** Adds the people and their group; each member has one notification, so has been told before. */
export const fillPeople = async (pool: Pool): Promise<People> => {
  const { rows } = await pool.query<{ first: number; last: number }>(
    `WITH new AS (
       INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
       SELECT 'member-' || n, 'Member', n::text, 'Member ' || n, 'member-' || n || '@example.com', 'member-' || n || '@example.com', r.id
       FROM generate_series(0, ${memberCount}) n, records.security_role r WHERE r.key = 'administrator' ORDER BY n RETURNING id
     ) SELECT min(id) AS first, max(id) AS last FROM new`,
  )
  const { first: outsiderId = 0, last = 0 } = rows[0] ?? {}
  const members = { first: outsiderId + 1, last }
  if (last - outsiderId !== memberCount) throw new Error('The ids of the people have gaps.')
  await pool.query(
    `WITH everyone AS (INSERT INTO records.user_group (code, name, _created_by, _updated_by) VALUES ('everyone', 'Everyone', 1, 1) RETURNING id)
     INSERT INTO records.user_group_member (user_group_id, user_id, _created_by, _updated_by)
     SELECT g.id, n, 1, 1 FROM everyone g, generate_series($1::integer, $2::integer) n`,
    [members.first, members.last],
  )
  await tellOnce(pool, members)
  await pool.query(
    'VACUUM (ANALYZE) records."user", records.user_group, records.user_group_member, docket.notification_count',
  )
  return { members, outsiderId }
}

const batchSize = 5000

const tellOnce = async (pool: Pool, { first, last }: Members): Promise<void> => {
  const content = { icon: 'bell', title: 'Welcome', message: 'Welcome.', url: null, due_at: null }
  const at = new Date().toISOString()
  for (let begin = first; begin <= last; begin += batchSize) {
    const length = Math.min(batchSize, last - begin + 1)
    const userIds = Array.from({ length }, (_, index) => begin + index)
    const event = { id: `welcome ${begin}`, rule: '0', entityKey: 'memo', entityId: 1, at }
    await storeBatches(pool, [{ event, recipients: { userIds, content } }])
  }
}

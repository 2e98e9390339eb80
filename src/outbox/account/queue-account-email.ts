/** Queues e-mails about an account among all others, in the transaction of their one-time code. */
import { randomUUID } from 'node:crypto'
import { findAskingUser, sendAskedCode } from '../../auth/codes/asked-code-store.ts'
import {
  type Invited,
  insertInvitation,
  type NewInvitation,
} from '../../auth/passwords/invitations.ts'
import { type Pool, type Queryable, queryRows } from '../../database/pool.ts'
import { int, json, signalled, sql, text } from '../../database/sql.ts'
import { handleJob, type JobHandler } from '../../jobs/job.ts'
import { queuedChannel } from '../delivery.ts'
import type { AccountEmail, EventData } from '../events/notification-event.ts'

type Queued = AccountEmail & {
  /** Identifies the e-mail; a second one with the same is not queued. */
  readonly event: string
  readonly userId: number
}

const queueAccountEmail = async (
  database: Queryable,
  { event, userId, kind, code_id }: Queued,
): Promise<void> => {
  const data: EventData = {
    record: {},
    actor: {},
    entity: { key: 'user', name: '' },
    action: {},
    comment: null,
    account: { kind, code_id },
  }
  await queryRows(
    database,
    sql`
      WITH mailing AS (
        INSERT INTO docket.mailing (event, entry, entity_key, entity_id, operation, data, wished, happened_at)
        VALUES (${text(event)}, 'account', 'user', ${int(userId)}, ${text(kind)}, ${json(data)},
          '{"printableDocuments":[],"documentFunctions":[]}', now())
        ON CONFLICT (event, entry) DO NOTHING
        RETURNING id
      ), queued AS (
        -- A person waits for it: it goes before those that wait already.
        INSERT INTO docket.delivery (channel, mailing_id, user_id, notification_id, due_at)
        SELECT 'email', m.id, ${int(userId)}, gen_random_uuid(), now() - interval '1 day'
        FROM mailing m
        RETURNING id
      )
      SELECT ${signalled(queuedChannel, sql`count(*)`, 'queued')} FROM queued`,
  )
}

/** Sends the codes that people ask for; nothing is sent for a name that nobody has. */
export const handleAskedCodes = (pool: Pool): JobHandler =>
  handleJob(sendAskedCode, async ({ code_id, event }) => {
    const userId = await findAskingUser(pool, code_id)
    if (userId !== undefined)
      await queueAccountEmail(pool, { event, userId, kind: 'code', code_id })
  })

/** Invites a user by e-mail, in place of an earlier invitation; in a transaction. Its code is not known before. Undefined: there is no such active user. */
export const sendInvitation = async (
  database: Queryable,
  invited: Invited,
): Promise<NewInvitation | undefined> => {
  const { userId } = invited
  const stored = await insertInvitation(database, { ...invited, digest: null })
  if (!stored) return undefined
  const event = randomUUID()
  await queueAccountEmail(database, { event, userId, kind: 'invitation', code_id: stored.id })
  return { ...stored, code: undefined }
}

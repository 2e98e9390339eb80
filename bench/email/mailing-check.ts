/** What the database says of the last mailing: a rate counts only if all of it went right. */
import type pg from 'pg'
import { withClient } from '../database.ts'
import { untilHolds } from '../until-holds.ts'

type Mailing = {
  readonly deliveries: number
  /** Still to be marked as sent. */
  readonly open: number
  /** Sent by more than one try. */
  readonly retried: number
  readonly attachments: number
  /** Attachments that could not be made. */
  readonly errors: number
}

/** Waits until everything is marked; throws unless everybody got one e-mail with all attachments. */
export const checkMailing = (
  connectionString: string,
  { recipients, attachments }: { readonly recipients: number; readonly attachments: number },
): Promise<void> =>
  withClient(connectionString, async (client) => {
    await untilHolds('every e-mail is marked', async () => (await lastMailing(client)).open === 0)
    const found = await lastMailing(client)
    const isRight = found.deliveries === recipients && found.attachments === attachments
    if (!isRight || found.retried + found.errors > 0)
      throw new Error(`The mailing did not go right: ${JSON.stringify(found)}`)
  })

const lastMailing = async (client: pg.Client): Promise<Mailing> => {
  const { rows } = await client.query<Mailing>(
    `WITH m AS (SELECT max(id) AS id FROM docket.mailing)
     SELECT count(*)::int AS deliveries, count(*) FILTER (WHERE status <> 'sent')::int AS open, count(*) FILTER (WHERE tries > 1)::int AS retried,
       (SELECT count(*)::int FROM docket.attachment a, m WHERE a.mailing_id = m.id) AS attachments,
       (SELECT count(*)::int FROM docket.attachment a, m WHERE a.mailing_id = m.id AND fault IS NOT NULL) AS faults
     FROM docket.delivery d, m WHERE d.mailing_id = m.id`,
  )
  const [found] = rows
  if (!found) throw new Error('There is no mailing.')
  return found
}

/** What the database says of the last mailing: a rate counts only if all of it went right. */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

type Mailing = {
  readonly deliveries: number
  /** Still to be marked as sent. */
  readonly open: number
  /** Sent by more than one try. */
  readonly retried: number
  readonly attachments: number
  /** Attachments that could not be made. */
  readonly faults: number
}

const patienceMs = 30_000
const everyMs = 100

/** Waits until everything is marked; throws unless everybody got one e-mail with all attachments. */
export const checkMailing = async (
  connectionString: string,
  { recipients, attachments }: { readonly recipients: number; readonly attachments: number },
): Promise<void> => {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    const deadline = performance.now() + patienceMs
    let found = await lastMailing(client)
    while (found.open > 0 && performance.now() < deadline) {
      await delay(everyMs)
      found = await lastMailing(client)
    }
    const { deliveries, open, retried, faults } = found
    const isRight = deliveries === recipients && found.attachments === attachments
    if (!isRight || open + retried + faults > 0)
      throw new Error(`The mailing did not go right: ${JSON.stringify(found)}`)
  } finally {
    await client.end()
  }
}

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

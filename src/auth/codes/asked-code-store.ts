/** Queries about codes by e-mail: each belongs to the browser that asked for it, which the digest of its cookie finds. */
import { execute, type Queryable, queryRow, queryRows } from '../../database/pool.ts'
import { int, json, sql, table, text } from '../../database/sql.ts'
import { enqueue, jobKind, jobsIn } from '../../jobs/job.ts'
import { lowerCase } from '../../lower-case.ts'
import { activeUser } from '../../users/user-store.ts'
import { codeMinutes } from './one-time-code-store.ts'

/** Sends a code that was asked for; `event` identifies its e-mail. */
export const sendAskedCode = jobKind<{ readonly code_id: number; readonly event: string }>(
  'signIn.sendCode',
)

/** The active user with this e-mail or user name; upper and lower case are the same. */
export const findNamedUser = async (
  database: Queryable,
  name: string,
): Promise<number | undefined> => {
  const row = await queryRow<{ id: number }>(
    database,
    sql`
      SELECT u.id
      FROM ${table('user')} u
      WHERE (u.email = ${text(lowerCase(name))} OR u.username = ${text(lowerCase(name))})
        AND ${activeUser('u')}
      ORDER BY u.email = ${text(lowerCase(name))} DESC LIMIT 1`,
  )
  return row?.id
}

type Asked = {
  readonly userId: number | undefined
  /** Of the cookie. */
  readonly digest: string
  readonly event: string
}

/** Stores that a browser has asked for a code, and what sends it: the same for a name that nobody has. */
export const insertAskedCode = async (
  database: Queryable,
  { userId, digest, event }: Asked,
): Promise<void> => {
  const job = enqueue({
    kind: sendAskedCode,
    payload: sql`(jsonb_build_object('code_id', a.id) || ${json({ event })}::jsonb)::json`,
  })
  await queryRows(
    database,
    sql`
      WITH asked AS (
        INSERT INTO docket.one_time_code (kind, user_id, digest, expires_at)
        VALUES ('code', ${int(userId ?? null)}, ${text(digest)},
          now() + make_interval(mins => ${int(codeMinutes)}))
        RETURNING id
      )
      SELECT ${jobsIn(job, 'jobs')} FROM asked a`,
  )
}

/** The user of a code that was asked for and has not ended; undefined if nobody has the name. */
export const findAskingUser = async (
  database: Queryable,
  id: number,
): Promise<number | undefined> => {
  const row = await queryRow<{ user_id: number | null }>(
    database,
    sql`
      SELECT user_id FROM docket.one_time_code
      WHERE id = ${int(id)} AND kind = 'code' AND expires_at > now()`,
  )
  return row?.user_id ?? undefined
}

/** Stores the answer to a code that is about to be sent; `answerOf` gives it by the digest of the browser. False: it has ended. */
export const setAnswer = async (
  database: Queryable,
  id: number,
  answerOf: (digest: string) => string,
): Promise<boolean> => {
  const row = await queryRow<{ digest: string }>(
    database,
    sql`
      SELECT digest FROM docket.one_time_code
      WHERE id = ${int(id)} AND kind = 'code' AND expires_at > now()`,
  )
  if (!row) return false
  const set = await execute(
    database,
    sql`UPDATE docket.one_time_code SET answer = ${text(answerOf(row.digest))} WHERE id = ${int(id)}`,
  )
  return set > 0
}

type Try = {
  /** Who asked for the code; undefined: nobody has the name. */
  readonly userId: number | undefined
  /** That is right; undefined if there is none or no try is left. */
  readonly answer: string | undefined
}

/** Counts a try of the browser. */
export const countTry = async (database: Queryable, digest: string): Promise<Try> => {
  const row = await queryRow<{ user_id: number | null; answer: string | null }>(
    database,
    sql`
      WITH tried AS (
        UPDATE docket.one_time_code SET tries_left = tries_left - 1
        WHERE digest = ${text(digest)} AND kind = 'code' AND expires_at > now() AND tries_left > 0
        RETURNING answer
      )
      SELECT c.user_id, t.answer
      FROM docket.one_time_code c LEFT JOIN tried t ON true
      WHERE c.digest = ${text(digest)} AND c.kind = 'code'`,
  )
  return { userId: row?.user_id ?? undefined, answer: row?.answer ?? undefined }
}

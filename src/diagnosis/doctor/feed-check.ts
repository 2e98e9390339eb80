/** Servers of the feed: whether they answer, are up to date, and what waits there. */
import { findPlacement } from '../../database/feeds/placement.ts'
import { findMissingMigrations } from '../../database/migrate.ts'
import { type Queryable, queryOnce, queryRow } from '../../database/pool.ts'
import { sql } from '../../database/sql.ts'
import { errorText } from '../../errors.ts'
import { printCount, printSeconds, printSome } from '../amounts.ts'
import { type Level, verdict, worstOf } from '../check.ts'
import type { DoctorCheck, OwnFeed } from './doctor-target.ts'
import { type Ahead, judgeMonths, monthsAhead } from './upkeep-checks.ts'

type Found = { readonly name: string; readonly level: Level; readonly text: string }

/** Each server of its settings, and that the feed is on all of them. */
export const feedCheck: DoctorCheck = {
  name: 'servers of notifications',
  run: async ({ database, feeds }) => {
    const found = await Promise.all(feeds.map(examine))
    const { names, movingTo } = (await findPlacement(database)) ?? {
      names: [],
      movingTo: undefined,
    }
    const wanted = feeds.map(({ name }) => name)
    const isElsewhere =
      movingTo !== undefined ||
      names.length !== wanted.length ||
      names.some((name) => !wanted.includes(name))
    if (isElsewhere) found.push(elsewhere(movingTo ?? names))
    const texts = found.map(({ name, text }) => `${name} ${text}`)
    return {
      ...verdict(
        worstOf(found),
        printSome(texts) || 'notifications are in this database',
        'A server that is away delays its own users; one that lacks migrations needs "docket migrate", and another place of the feed "docket move-feed".',
      ),
      facts: found,
    }
  },
}

const elsewhere = (names: readonly string[]): Found => ({
  name: 'FEED_DATABASE_URL',
  level: 'fail',
  text: `names other servers than those that have notifications: ${names.join(', ') || 'none'}`,
})

const lateSeconds = 60

type Waiting = { readonly dead: number; readonly seconds: number; readonly jobs: number }

const waiting = sql`
SELECT (SELECT count(*) FROM docket.delivery WHERE status = 'dead') AS dead, (
  SELECT coalesce(extract(epoch FROM now() - min(due_at)), 0)::bigint
  FROM docket.delivery
  WHERE status IN ('queued', 'failed') AND due_at <= now()
) AS seconds, (SELECT count(*) FROM docket.feed_job WHERE run_at < now() - interval '1 minute') AS jobs`

const examine = async ({ name, found }: OwnFeed): Promise<Found> => {
  if (typeof found === 'string') return { name, level: 'fail', text: `is away: ${found}` }
  try {
    const missing = await findMissingMigrations(found)
    if (missing.length > 0)
      return { name, level: 'warn', text: `lacks ${printCount(missing.length, 'migration')}` }
    const months = judgeMonths(await queryOnce<Ahead>(found, monthsAhead))
    const trouble = months.level === 'ok' ? [] : [`months ${months.value}`]
    return await examineWaiting(name, found, trouble)
  } catch (error) {
    return { name, level: 'fail', text: `is away: ${errorText(error)}` }
  }
}

const examineWaiting = async (
  name: string,
  database: Queryable,
  known: readonly string[],
): Promise<Found> => {
  const { dead = 0, seconds = 0, jobs = 0 } = (await queryRow<Waiting>(database, waiting)) ?? {}
  const troubles = [
    ...known,
    ...(dead > 0 ? [printCount(dead, 'dead e-mail')] : []),
    ...(seconds > lateSeconds ? [`an e-mail that waits for ${printSeconds(seconds)}`] : []),
    ...(jobs > 0 ? [`${printCount(jobs, 'job')} that no worker has taken over`] : []),
  ]
  if (troubles.length === 0) return { name, level: 'ok', text: 'answers' }
  return { name, level: 'warn', text: `has ${troubles.join(', ')}` }
}

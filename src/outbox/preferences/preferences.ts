/**
 * When a user is notified by each channel, by kind of notification, and at which times; stored notifications are not affected.
 */
import type { Person } from '../../auth/caller.ts'
import type { VisibilityDeps } from '../../auth/readable-records.ts'
import { execute, type Pool, queryRow, queryRows } from '../../database/pool.ts'
import { int, nothing, type Sql, sql, text, texts } from '../../database/sql.ts'
import { byChannel, personalChannels } from '../../definitions/schemas/notification-rule.ts'
import type { Pace, Times } from './next-time.ts'

/** A kind of notification. */
export type NotificationKind = { readonly entity: string; readonly operation: string }

/** How soon a user wants deliveries about an operation on records of an entity, by channel. */
export type Preference = NotificationKind & Readonly<ReturnType<typeof byChannel<Pace>>>

/** What a user changes. */
type PreferenceChange = NotificationKind & Partial<Preference>

type Chosen = NotificationKind & { readonly channel: string; readonly pace: Pace }

/** The kinds, with the preference of the user; immediately by default. */
export const listPreferences = async (
  pool: Pool,
  kinds: readonly NotificationKind[],
  userId: number,
): Promise<Preference[]> => {
  const rows = await queryRows<Chosen>(
    pool,
    sql`
SELECT entity_key AS entity, operation, channel, pace
FROM docket.delivery_choice
WHERE user_id = ${int(userId)}`,
  )
  const chosen = new Map(rows.map((row) => [nameOf(row, row.channel), row.pace]))
  return kinds.map((kind) => ({
    ...kind,
    ...byChannel((channel) => chosen.get(nameOf(kind, channel)) ?? 'immediately'),
  }))
}

const nameOf = ({ entity, operation }: NotificationKind, channel: string): string =>
  `${entity} ${operation} ${channel}`

/** The kinds of notification that a user can get, and turn off: others may be of entities that they must not know. */
export const listKinds = (
  { catalog, permissions }: VisibilityDeps,
  person: Person,
): NotificationKind[] =>
  [...catalog.entities.values()].flatMap((entity) => {
    const rules = (entity.definition.notifications ?? []).filter(
      ({ recipient }) =>
        entity.isNative || recipient.skipRightsCheck || permissions.touches(person, entity),
    )
    const operations = new Set(rules.map(({ operation }) => operation))
    return [...operations].map((operation) => ({ entity: entity.key, operation }))
  })

/** Stores preferences; what was queued before keeps its time. */
export const savePreferences = async (
  pool: Pool,
  userId: number,
  preferences: readonly PreferenceChange[],
): Promise<void> => {
  const user = int(userId)
  await execute(
    pool,
    sql`
WITH wanted AS (
  DELETE FROM docket.delivery_choice p
  USING ${rowsOf(preferences)}
  WHERE p.user_id = ${user} AND p.entity_key = w.entity_key
    AND p.operation = w.operation AND p.channel = w.channel AND w.pace = 'immediately'
)
INSERT INTO docket.delivery_choice (user_id, entity_key, operation, channel, pace)
SELECT ${user}, w.entity_key, w.operation, w.channel, w.pace
FROM ${rowsOf(preferences)}
WHERE w.pace <> 'immediately'
ORDER BY w.entity_key, w.operation, w.channel
ON CONFLICT (user_id, entity_key, operation, channel) DO UPDATE SET pace = excluded.pace`,
  )
}

/** A row `w` for each kind and channel. */
const rowsOf = (preferences: readonly PreferenceChange[]): Sql => {
  const rows = preferences.flatMap((preference) =>
    personalChannels.flatMap((channel) => {
      const pace = preference[channel]
      return pace === undefined ? [] : [{ ...preference, channel, pace }]
    }),
  )
  const columns = [
    texts(rows.map(({ entity }) => entity)),
    texts(rows.map(({ operation }) => operation)),
    texts(rows.map(({ channel }) => channel)),
    texts(rows.map(({ pace }) => pace)),
  ] as const
  const [entities, operations, names, chosen] = columns
  return sql`unnest(${entities}, ${operations}, ${names}, ${chosen})
    AS w (entity_key, operation, channel, pace)`
}

/** The times of a user besides their zone. */
export type OwnTimes = Pick<Times, 'dailyAt'> & {
  readonly quietHours: NonNullable<Times['quietHours']> | null
}

/** When daily e-mails come to those who say nothing. */
const usualTime = '08:00'

/** Of the table of times; null without a row. */
export type TimesRow = {
  readonly daily_at: string | null
  readonly quiet_from: string | null
  readonly quiet_to: string | null
}

/** The times of a row; the usual ones without a row. */
export const timesOf = (row: TimesRow | undefined): OwnTimes => ({
  dailyAt: row?.daily_at ?? usualTime,
  quietHours: row?.quiet_from && row.quiet_to ? { from: row.quiet_from, to: row.quiet_to } : null,
})

export const readTimes = async (pool: Pool, userId: number): Promise<OwnTimes> =>
  timesOf(
    await queryRow<TimesRow>(
      pool,
      sql`
SELECT daily_at, quiet_from, quiet_to
FROM docket.delivery_times
WHERE user_id = ${int(userId)}`,
    ),
  )

/** Stores the times that are given. */
export const saveTimes = async (
  pool: Pool,
  userId: number,
  { dailyAt, quietHours }: Partial<OwnTimes>,
): Promise<void> => {
  if (dailyAt === undefined && quietHours === undefined) return
  const quiet =
    quietHours === undefined
      ? nothing
      : sql`, quiet_from = excluded.quiet_from, quiet_to = excluded.quiet_to`
  const daily = dailyAt === undefined ? sql`t.daily_at` : sql`excluded.daily_at`
  await execute(
    pool,
    sql`
INSERT INTO docket.delivery_times AS t (user_id, daily_at, quiet_from, quiet_to)
VALUES (${int(userId)}, ${text(dailyAt ?? usualTime)}, ${text(quietHours?.from ?? null)},
  ${text(quietHours?.to ?? null)})
ON CONFLICT (user_id) DO UPDATE SET daily_at = ${daily}${quiet}`,
  )
}

/**
 * The channels that a user has turned off, by kind of notification; stored notifications are not affected.
 */
import type { Person } from '../../auth/caller.ts'
import type { VisibilityDeps } from '../../auth/readable-records.ts'
import { execute, type Pool, queryRows } from '../../database/pool.ts'
import { int, type Sql, sql, texts } from '../../database/sql.ts'
import { byChannel, personalChannels } from '../../definitions/schemas/notification-rule.ts'

/** A kind of notification. */
export type NotificationKind = { readonly entity: string; readonly operation: string }

/** Whether a user wants deliveries about an operation on records of an entity, by channel. */
export type Preference = NotificationKind & Readonly<ReturnType<typeof byChannel<boolean>>>

/** What a user changes. */
type PreferenceChange = NotificationKind & Partial<Preference>

type Refused = { readonly entity: string; readonly operation: string; readonly channel: string }

/** The kinds, with the preference of the user; on by default. */
export const listPreferences = async (
  pool: Pool,
  kinds: readonly NotificationKind[],
  userId: number,
): Promise<Preference[]> => {
  const rows = await queryRows<Refused>(
    pool,
    sql`
SELECT entity_key AS entity, operation, channel
FROM docket.delivery_preference
WHERE user_id = ${int(userId)}`,
  )
  const refused = new Set(rows.map((row) => nameOf(row, row.channel)))
  return kinds.map((kind) => ({
    ...kind,
    ...byChannel((channel) => !refused.has(nameOf(kind, channel))),
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

/** Stores preferences; deliveries that are being sent still arrive. */
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
  DELETE FROM docket.delivery_preference p
  USING ${rowsOf(preferences, true)}
  WHERE p.user_id = ${user} AND p.entity_key = w.entity_key
    AND p.operation = w.operation AND p.channel = w.channel
)
INSERT INTO docket.delivery_preference (user_id, entity_key, operation, channel)
SELECT ${user}, w.entity_key, w.operation, w.channel
FROM ${rowsOf(preferences, false)}
ON CONFLICT DO NOTHING`,
  )
}

/** A row `w` for each kind and channel that is on or off. */
const rowsOf = (preferences: readonly PreferenceChange[], wanted: boolean): Sql => {
  const rows = preferences.flatMap((preference) =>
    personalChannels
      .filter((channel) => preference[channel] === wanted)
      .map((channel) => ({ ...preference, channel })),
  )
  const [entities, operations, names] = [
    texts(rows.map(({ entity }) => entity)),
    texts(rows.map(({ operation }) => operation)),
    texts(rows.map(({ channel }) => channel)),
  ]
  return sql`unnest(${entities}, ${operations}, ${names}) AS w (entity_key, operation, channel)`
}

/** How users read what is written for them: in the language and the time zone of their settings of the console, else as the project says. */
import { createBoundedCache } from '../bounded-cache.ts'
import { type Queryable, queryRows } from '../database/pool.ts'
import { bound, type Sql, sql } from '../database/sql.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { isTimeZone } from '../definitions/checks/check-role.ts'

/** The catalog with its locale and names in the language of the reader, and the zone of moments that they read. */
export type UserReading = { readonly catalog: Catalog; readonly timeZone: string }

/** What a user has chosen, as far as the settings have a text. */
export type ChosenReading = { readonly language: string | null; readonly time_zone: string | null }

/** Columns of a ChosenReading, of settings `chosen`. */
export const chosenReading = sql`chosen.settings->>'language' AS language, chosen.settings->>'timeZone' AS time_zone`

/** Joins the settings of a user. */
export const joinChosen = (userId: Sql): Sql =>
  sql`\nLEFT JOIN docket.console_settings chosen ON chosen.user_id = ${userId}`

/** The reading of a user; settings are any JSON, so what is not known counts as not chosen. */
export const readingOf = (
  { catalog, timeZone }: UserReading,
  chosen: ChosenReading | undefined,
): UserReading => ({
  catalog: (chosen?.language && catalog.inLanguage?.(chosen.language)) || catalog,
  timeZone: chosen ? zoneOf(timeZone, chosen) : timeZone,
})

/** The zone of a user; that of the project without a choice. */
export const zoneOf = (
  project: string,
  { time_zone: chosen }: Pick<ChosenReading, 'time_zone'>,
): string => (chosen && isZone(chosen) ? chosen : project)

// Asking costs more than knowing.
const zones = createBoundedCache<{ readonly isKnown: boolean }>(500)

const isZone = (name: string): boolean => {
  const known = zones.get(name) ?? { isKnown: isTimeZone(name) }
  zones.set(name, known)
  return known.isKnown
}

/** Reads the settings of some users, and returns the reading of each. */
export const readReadings = async (
  database: Queryable,
  project: UserReading,
  userIds: readonly number[],
): Promise<(userId: number) => UserReading> => {
  const rows = await queryRows<ChosenReading & { readonly user_id: number }>(
    database,
    sql`
SELECT chosen.user_id, ${chosenReading}
FROM docket.console_settings chosen
WHERE chosen.user_id = ANY (${bound(userIds, 'integer[]')})
  AND chosen.settings ?| ARRAY['language', 'timeZone']`,
  )
  const byUser = new Map(rows.map((row) => [row.user_id, readingOf(project, row)]))
  return (userId) => byUser.get(userId) ?? project
}

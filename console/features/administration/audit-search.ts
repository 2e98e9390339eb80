/** Which entries of the audit a page shows, as its address says it. */
import type { AuditQuery } from '../../api/admin/audit.ts'
import { asId, asText, givenOf } from '../session/address-values.ts'
import { fromLocalTime } from '../values/local-text.ts'

/** Days are those of the zone in which the user reads times. */
export type AuditSearch = Omit<AuditQuery, 'to'> & { readonly until?: string | undefined }

const asDay = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined

/** Reads an address that anybody may have written; what is of no use is left out. */
export const parseAuditSearch = (
  search: Readonly<Record<string, unknown>>,
  kinds: readonly string[],
): AuditSearch => {
  const entity = asText(search.entity)
  return givenOf({
    user: asId(search.user),
    kind: kinds.find((kind) => kind === search.kind),
    entity: entity !== undefined && /^[a-z][a-z0-9_]{0,62}$/.test(entity) ? entity : undefined,
    record: entity === undefined ? undefined : asId(search.record),
    from: asDay(search.from),
    until: asDay(search.until),
  })
}

const dayMs = 86_400_000

const beginningOf = (day: string, timeZone: string): string | undefined =>
  fromLocalTime(`${day}T00:00:00`, timeZone) ?? undefined

/** The first day as a whole to the last one as a whole. */
export const askedOf = ({ from, until, ...rest }: AuditSearch, timeZone: string): AuditQuery => {
  const next = until && new Date(Date.parse(until) + dayMs).toISOString().slice(0, 10)
  return givenOf({
    ...rest,
    from: from && beginningOf(from, timeZone),
    to: next && beginningOf(next, timeZone),
  })
}

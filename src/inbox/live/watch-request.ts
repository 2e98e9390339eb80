/** What a stream watches besides notifications: records, and the numbers of approvals and tasks. */
import type { Caller } from '../../auth/caller.ts'
import type { Permissions } from '../../auth/permissions.ts'
import type { Parameter } from '../../http/endpoint/parameters.ts'
import { maxRecordId } from '../../http/endpoint/parameters.ts'

/** The numbers whose changes are told. */
const watchedCounts = ['approvals', 'tasks'] as const
type WatchedCount = (typeof watchedCounts)[number]

/** All records of an entity, or one. */
type WatchedRecords = {
  readonly entityKey: string
  readonly id: number | undefined
  /** Of the one record, the version that the client has read. */
  readonly version: number | undefined
}

export type WatchRequest = {
  readonly records: readonly WatchedRecords[]
  readonly counts: ReadonlySet<WatchedCount>
}

const maxWatched = 20

export const watchParameter: Parameter<readonly WatchedRecords[], readonly WatchedRecords[]> = {
  description: `Also sends \`record\` events: for all records of an entity (\`purchase_order\`) or for one (\`purchase_order/12\`, or \`purchase_order/12:3\` with the version that you have read: if it is another one by now, its event comes at once); at most ${maxWatched}, separated by commas.`,
  schema: {
    type: 'array',
    maxItems: maxWatched,
    items: { type: 'string', pattern: '^[a-z][a-z0-9_]*(/[1-9][0-9]*(:[1-9][0-9]*)?)?$' },
  },
  absent: [],
  isList: true,
  read: (text) => {
    // Each once, because the changes are compared with each of them.
    const names = [...new Set(text.split(','))]
    if (names.length > maxWatched) return { issue: `may have at most ${maxWatched} names` }
    const records = names.map((name) => watchedName.exec(name))
    const watched = records.flatMap((found) =>
      found?.[1] === undefined
        ? []
        : [{ entityKey: found[1], id: numberOf(found[2]), version: numberOf(found[3]) }],
    )
    const isValid =
      watched.length === names.length && watched.every(({ id = 1 }) => id <= maxRecordId)
    return isValid
      ? watched
      : {
          issue:
            'must be keys of entities, <key>/<id> or <key>/<id>:<version>, separated by commas',
        }
  },
}

const watchedName = /^([a-z][a-z0-9_]{0,62})(?:\/([1-9]\d{0,9})(?::([1-9]\d{0,9}))?)?$/

const numberOf = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits))

export const countsParameter: Parameter<readonly WatchedCount[], readonly WatchedCount[]> = {
  description:
    'Also sends an event `approvals` or `tasks` when the number of your approvals or of your tasks may have changed.',
  schema: { type: 'array', items: { type: 'string', enum: [...watchedCounts] } },
  absent: [],
  isList: true,
  read: (text) => {
    const names = text.split(',', watchedCounts.length + 1)
    const counts = watchedCounts.filter((count) => names.includes(count))
    return counts.length === names.length
      ? counts
      : { issue: `must be one or more of ${watchedCounts.join(', ')}, each once` }
  },
}

type Given = {
  readonly watch: readonly WatchedRecords[]
  readonly counts: readonly WatchedCount[]
}

/** The request of a caller who may read these entities; throws an error 403 or 404. Undefined: no request. */
export const toWatchRequest = (
  permissions: Permissions,
  caller: Caller,
  { watch, counts }: Given,
): WatchRequest | undefined => {
  for (const { entityKey } of watch)
    permissions.permit(caller, 'read', permissions.entityFor(caller, entityKey))
  if (watch.length + counts.length === 0) return undefined
  return { records: watch, counts: new Set(counts) }
}

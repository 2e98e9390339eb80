/** Rules of notifications about dates: their field, an offset and a time of the day say when they are due. */
import type { Catalog, Entity } from './catalog.ts'
import { type NotificationRule, sendsNotifications } from './notification-rules.ts'
import { clockMs, type MovingTime, readMovingTime } from './values/rules/moving-times.ts'

type Unit = MovingTime['unit']

/** So many units after a date; before it if negative. */
type Shift = { readonly unit: Unit; readonly amount: number }

/** When dates of a column are due. Rules that say the same have their events together. */
export type Schedule = {
  /** The column of the date. */
  readonly column: string
  /** The offset, always in the same form. */
  readonly shift: string
  /** The time of the day, in the zone of the project; empty: so long after the moment itself. */
  readonly at: string
}

/** The schedule of rules of an entity. */
export type DateSchedule = Schedule &
  Shift & {
    readonly entity: Entity
    readonly kind: 'date' | 'timestamp'
    /** The longest `late` of the rules, in milliseconds: a date that was due longer ago is skipped. */
    readonly lateMs: number
  }

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const lateUnits: Readonly<Partial<Record<Unit, number>>> = {
  ...clockMs,
  day: dayMs,
  week: 7 * dayMs,
}
const defaultAt = '08:00'
const defaultLateMs = 7 * dayMs
const mostLateMs = 90 * dayMs

/** The units of a text, such as `-30 days`; undefined if it is none. */
export const readShift = (text: string): Shift | undefined => {
  const read = readMovingTime({ $now: text })
  return 'moving' in read ? { unit: read.moving.unit, amount: read.moving.amount } : undefined
}

/** How late users are still notified of an event, in milliseconds; undefined if the text says nothing that is possible. */
export const readLate = (text: string | undefined): number | undefined => {
  if (text === undefined) return defaultLateMs
  const read = readShift(text)
  const ms = read ? (lateUnits[read.unit] ?? 0) * read.amount : 0
  return ms >= hourMs && ms <= mostLateMs ? ms : undefined
}

/** Whether an offset is in units of a clock, which count from the moment itself. */
export const isOfClock = ({ unit }: Shift): boolean => clockMs[unit] !== undefined

/** The schedule of a rule; undefined if it is of another operation or wrong. */
export const scheduleOf = (entity: Entity, rule: NotificationRule): DateSchedule | undefined => {
  const { operation, field = '', offset, at, late } = rule
  const column = entity.columnsByName.get(field)
  const kind = column?.type.cell
  if (operation !== 'date' || !column || (kind !== 'date' && kind !== 'timestamp')) return undefined
  const none = kind === 'date' || at !== undefined ? '0 days' : '0 minutes'
  const shift = readShift(offset ?? none)
  const lateMs = readLate(late)
  if (!shift || lateMs === undefined) return undefined
  return {
    entity,
    kind,
    column: column.name,
    ...shift,
    shift: `${shift.amount} ${shift.unit}`,
    at: isOfClock(shift) ? '' : (at ?? defaultAt),
    lateMs,
  }
}

/** Whether two schedules are the same. */
export const isSameSchedule = (one: Schedule | undefined, other: Schedule): boolean =>
  one?.column === other.column && one.shift === other.shift && one.at === other.at

/** The schedules of all entities whose notifications are sent, each once. */
export const schedulesOf = ({ entities }: Catalog): readonly DateSchedule[] => {
  const found: DateSchedule[] = []
  for (const entity of entities.values()) {
    if (!sendsNotifications(entity.definition)) continue
    const own = (entity.definition.notifications ?? []).flatMap(
      (rule) => scheduleOf(entity, rule) ?? [],
    )
    const bySchedule = Map.groupBy(own, ({ column, shift, at }) => [column, shift, at].join(' '))
    for (const [first, ...others] of bySchedule.values())
      if (first) {
        const lateMs = Math.max(first.lateMs, ...others.map((one) => one.lateMs))
        found.push({ ...first, lateMs })
      }
  }
  return found
}

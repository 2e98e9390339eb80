/** Checks what rules of notifications have for one operation alone: the fields of a change, and when a date is due. */
import { didYouMean } from '../../did-you-mean.ts'
import { type Entity, orderedIndexes } from '../catalog.ts'
import { isOfClock, readLate, readShift } from '../date-rules.ts'
import type { NotificationRule } from '../notification-rules.ts'
import type { NotifiedOperation } from '../operations.ts'
import { theActor } from '../schemas/notification-rule.ts'
import type { AddFinding, JsonPath } from '../source-file.ts'

type Place = (...path: JsonPath) => JsonPath

/** The operation of each property that no other one has. */
const operationOf = {
  fields: 'change',
  before: 'change',
  field: 'date',
  offset: 'date',
  at: 'date',
  late: 'date',
} as const satisfies Readonly<Partial<Record<keyof NotificationRule, NotifiedOperation>>>

const properties = Object.keys(operationOf) as (keyof typeof operationOf)[]

export const checkMoments = (
  entity: Entity,
  rule: NotificationRule,
  at: Place,
  add: AddFinding,
): void => {
  const { operation } = rule
  for (const name of properties)
    if (rule[name] !== undefined && operationOf[name] !== operation)
      add(at(name), `has no effect with the operation "${operation}"`)
  if (operation === 'change') checkChanged(entity, rule, at, add)
  if (operation === 'date') checkDate(entity, rule, at, add)
}

const checkChanged = (
  entity: Entity,
  { fields = [] }: NotificationRule,
  at: Place,
  add: AddFinding,
): void => {
  const known = entity.columns.flatMap(({ field: { key }, isSystem }) =>
    !isSystem || key === '_step' || key === '_owned_by' ? [key] : [],
  )
  for (const [index, name] of fields.entries())
    if (!known.includes(name))
      add(
        at('fields', index),
        `"${name}" is not a field of ${entity.key} that changes${didYouMean(name, known)}`,
      )
    else if (fields.indexOf(name) < index)
      add(at('fields', index), `"${name}" is listed twice`, 'warning')
}

const checkDate = (entity: Entity, rule: NotificationRule, at: Place, add: AddFinding): void => {
  const { field, offset, late, replyTo, recipient } = rule
  if (readLate(late) === undefined)
    add(at('late'), 'must be from "1 hour" to "90 days", in hours, days or weeks')
  if (replyTo === theActor)
    add(at('replyTo'), 'has no effect: nobody acts when a date is due; name a field of a user')
  if (recipient.includeActor === false)
    add(
      at('recipient', 'includeActor'),
      'has no effect: nobody acts when a date is due; leave it out',
      'warning',
    )
  const shift = offset === undefined ? undefined : readShift(offset)
  if (offset !== undefined && !shift)
    add(
      at('offset'),
      'must be a number of minutes, hours, days, weeks, months or years, such as "-30 days", of at most a hundred years',
    )
  if (field === undefined) {
    add(at(), 'requires the property "field" for "date"')
    return
  }
  const column = entity.columnsByName.get(field)
  const kind = column?.type.cell
  if (!column || (kind !== 'date' && kind !== 'timestamp')) {
    const dates = entity.columns.filter(
      ({ type }) => type.cell === 'date' || type.cell === 'timestamp',
    )
    const near = didYouMean(
      field,
      dates.map(({ name }) => name),
    )
    add(at('field'), `"${field}" is not a date or a timestamp of ${entity.key}${near}`)
    return
  }
  if (shift && isOfClock(shift) && kind === 'date')
    add(at('offset'), `is in ${shift.unit}s, but "${field}" is a day; write days, and "at"`)
  else if (shift && isOfClock(shift) && rule.at !== undefined)
    add(at('at'), `has no effect with an offset in ${shift.unit}s, which counts from the moment`)
  if (!orderedIndexes(entity).some(({ columns: [first] }) => first === column.name))
    add(
      at('field'),
      `"${field}" is read every minute; give ${entity.key} an index: ${JSON.stringify({ fields: [field] })}`,
      'warning',
    )
}

/** Checks of personal data: fields that can be anonymised, and how long records are kept. */
import { didYouMean } from '../../did-you-mean.ts'
import type { Entity } from '../catalog.ts'
import { fieldTypeOf } from '../field-types.ts'
import type { EntityDefinition } from '../schemas/entity-definition.ts'
import type { AddFinding, Finding, SourceFile } from '../source-file.ts'
import { isPersonal, personalColumns, placeholderOf } from '../values/placeholders.ts'
import { readMovingTime } from '../values/rules/moving-times.ts'

// The placeholder of the largest id is the longest.
const largestId = 2_147_483_647

/** Adds a finding for each personal field that could not be anonymised. */
export const checkPersonal = (
  source: SourceFile,
  { fields, indexes = [] }: EntityDefinition,
  timeZone: string,
  findings: Finding[],
): void => {
  const add = (index: number, message: string) =>
    findings.push(source.finding(['fields', index, 'personal'], message))
  for (const [index, field] of fields.entries()) {
    if (!isPersonal({ field })) continue
    const isUnique =
      ('unique' in field && Boolean(field.unique)) ||
      indexes.some((one) => Boolean(one.unique) && one.fields.includes(field.key))
    const place = { id: largestId, isUnique, timeZone }
    if (('formula' in field && field.formula) || ('rollup' in field && field.rollup))
      add(index, 'is for fields with values of their own: a calculated one follows what it reads')
    else if (placeholderOf({ field, type: fieldTypeOf(field) }, place) === undefined)
      add(
        index,
        `cannot be: the field is required${isUnique ? ' and unique' : ''}, and no placeholder such as "anonymised-7" is valid for it. Leave "required" out, or allow a placeholder.`,
      )
  }
}

// Checks how long records are kept: the time, the field from which it counts, and what becomes of them.

// Hours and minutes are no times for which records are kept: what removes them runs once a day.
const kept = /^[1-9]\d{0,4} (day|week|month|year)s?$/

/** Findings at each rule; its criteria are checked with all others. */
export const checkRetention = (
  entity: Entity,
  { retention = [], extends: extended }: EntityDefinition,
  add: AddFinding,
): void => {
  if (extended === 'native' && retention.length > 0)
    add(['retention'], `is not possible for the native entity ${entity.key}`)
  const moments = entity.columns.filter(({ type: { comparedKind } }) =>
    ['date', 'timestamp'].includes(comparedKind ?? ''),
  )
  const names = moments.map(({ name }) => name)
  for (const [index, { after, of, operation }] of retention.entries()) {
    const at = (name: string) => ['retention', index, name]
    if (!kept.test(after) || 'issue' in readMovingTime({ $now: `-${after}` }))
      add(
        at('after'),
        `must be a number of days, weeks, months or years, such as "10 years", and at most 100 years; it is "${after}"`,
      )
    if (of !== undefined && !names.includes(of))
      add(
        at('of'),
        entity.columnsByName.has(of)
          ? `"${of}" is neither a date nor a timestamp`
          : `"${of}" is not a field of ${entity.key}${didYouMean(of, names)}`,
      )
    if (operation === 'anonymise' && personalColumns(entity).length === 0)
      add(
        at('operation'),
        `no field of ${entity.key} is personal: mark those with "personal": true, or write "remove"`,
      )
  }
}

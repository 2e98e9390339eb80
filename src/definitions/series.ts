/** The series of a field: who gets its numbers, and what a statement needs to build one. */
import type { FieldDefinition } from './field-types.ts'
import {
  type DatePart,
  type Format,
  type FormatPart,
  isLink,
  type LinkPart,
  parseFormat,
} from './values/series-format.ts'

/** A part as a statement needs it: with the column of the link and the entity that it leads to. */
export type SeriesPart =
  | { readonly text: string }
  | { readonly date: DatePart }
  | (LinkPart & { readonly column: string; readonly target: string })

/** When a record gets its number: with its creation, or with the first action of a key. */
export type SeriesEvent = 'create' | { readonly action: string }

export type Series = Format<SeriesPart> & {
  readonly on: SeriesEvent
  readonly isGapFree: boolean
  readonly start: number
}

/** The series of a field, if it has one whose format and links can be read. */
export const seriesOf = (
  field: FieldDefinition,
  fields: readonly FieldDefinition[],
): Series | undefined => {
  if (field.type !== 'string' || !field.series) return undefined
  const { format, on = 'create', gapFree = true, start = 1 } = field.series
  const parsed = parseFormat(format)
  if ('issue' in parsed) return undefined
  const resolve = (part: FormatPart): readonly SeriesPart[] => {
    if (!isLink(part)) return [part]
    const link = fields.find(({ key }) => key === part.link)
    if (link?.type !== 'manyToOne') return []
    return [{ ...part, column: `${part.link}_id`, target: link.entity }]
  }
  const { before, after, digits } = parsed.format
  const resolved = { before: before.flatMap(resolve), after: after.flatMap(resolve) }
  const isWhole = resolved.before.length === before.length && resolved.after.length === after.length
  return isWhole ? { ...resolved, digits, on, isGapFree: gapFree, start } : undefined
}

/** Whether a series gives its number at an event. */
export const isGivenOn = ({ on }: Series, event: SeriesEvent): boolean =>
  typeof on === 'string' || typeof event === 'string' ? on === event : on.action === event.action

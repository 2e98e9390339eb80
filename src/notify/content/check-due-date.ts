/** Checks that a `due_date` can be read by the service: what is written for people, such as `24 Nov 2026`, cannot. */
import { resolvePath } from '../../definitions/association-path.ts'
import type { Catalog, Entity } from '../../definitions/catalog.ts'
import { type LiquidTemplate, renderTemplate } from '../../templates/liquid-template.ts'
import { filtersOf, printedNames } from '../../templates/template-parts.ts'
import { readDueDate } from './render-content.ts'
import { nest } from './template-data.ts'

// They write for people, so what they print is never a date for the service.
const refusedFilters = ['local_date', 'number']

type Issue = { readonly message: string; readonly severity: 'error' | 'warning' }

/** The issues of the template of a due date. */
export const dueDateIssues = (
  catalog: Catalog,
  entity: Entity,
  template: LiquidTemplate,
): Issue[] => {
  const filters = filtersOf(template)
  const refused = refusedFilters.filter((name) => filters.has(name))
  if (refused.length > 0)
    return refused.map((name) => ({
      message: `has the filter "${name}", which writes for people: the service reads a due date, so write the field without it`,
      severity: 'error',
    }))
  const printed = printSample(catalog, entity, template)
  if (!printed || readDueDate(printed, sampleZone) !== undefined) return []
  const message = `prints dates such as "${printed}", which the service cannot read: write YYYY-MM-DD, or YYYY-MM-DD HH:MM:SS, as a field without a filter does`
  return [{ message, severity: 'warning' }]
}

const sampleZone = 'UTC'
const sampleDay = '2026-11-24'
const samples = {
  date: sampleDay,
  timestamp: `${sampleDay}T08:00:00.000Z`,
  // It may contain a date.
  text: sampleDay,
} as const

/** What it prints for a sample record; undefined if that cannot be told. */
const printSample = (
  catalog: Catalog,
  entity: Entity,
  template: LiquidTemplate,
): string | undefined => {
  const values = new Map<string, unknown>()
  for (const { segments } of printedNames(template)) {
    const [root, ...rest] = segments
    const path = rest.join('.')
    const result = root === 'record' ? resolvePath(catalog, entity, path) : undefined
    const kind = result && 'path' in result ? result.path.column.type.comparedKind : undefined
    // Of numbers and choices, a template may compose a date.
    if (kind === undefined || kind === 'number') return undefined
    values.set(path, samples[kind])
  }
  const data = { record: nest(values) }
  const reading = { locale: catalog.locale, timeZone: sampleZone }
  try {
    return renderTemplate(template, data, reading)
  } catch {
    // What it reads besides is missing in the sample.
    return undefined
  }
}

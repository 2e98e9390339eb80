/** The headers of an export. */
import type { Entity } from '../definitions/catalog.ts'
import { dispositionOf, fileName } from '../http/file-name.ts'
import type { ExportFormat } from './export-format.ts'
import type { ExportPlan } from './plan-export.ts'

type Answered = {
  readonly entity: Entity
  readonly format: ExportFormat
  readonly plan: Pick<ExportPlan, 'omitted'>
  readonly timeZone: string
  /** Whether the answer ends with a manifest. */
  readonly manifest: boolean
  /** Of the names; undefined for a file that has none. */
  readonly language: string | undefined
}

/** What the answer says of its file. */
export const answerHeaders = (
  { entity, format, plan, timeZone, manifest, language }: Answered,
  encoding: string | undefined,
) => ({
  'Content-Type': format.contentType,
  'Content-Disposition': dispositionOf('attachment', nameOf(entity, format, timeZone)),
  'Cache-Control': 'no-store',
  Vary: language ? 'Accept, Accept-Encoding, Accept-Language' : 'Accept, Accept-Encoding',
  ...(language && { 'Content-Language': language }),
  ...(plan.omitted.length > 0 && { 'X-Omitted-Columns': String(plan.omitted.length) }),
  ...(encoding && { 'Content-Encoding': encoding }),
  ...(manifest && { Trailer: 'X-Row-Count, Digest' }),
})

/** What people call the records, and the day in the time zone of the project. */
const nameOf = (entity: Entity, format: ExportFormat, timeZone: string): string => {
  // Swedish dates are those of ISO 8601.
  const day = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format()
  return fileName([entity.pluralName, day], format.extension)
}

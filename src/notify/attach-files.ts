/** The files of a record that go with an e-mail: those in the fields that a rule names, as far as their readers may read them. */
import type { Entity } from '../definitions/catalog.ts'
import type { ShownFile } from '../definitions/field-types/files.ts'
import { fileColumns } from '../definitions/files.ts'
import type { DocumentDeps, DocumentReader } from '../documents/render-document.ts'
import { ApiError } from '../errors.ts'
import { fullAccess } from '../query/access.ts'
import { readRecord } from '../records/read-records.ts'

type Asked = {
  readonly entity: Entity
  readonly id: number
  readonly fields: readonly string[]
  /** Without a reader everything is visible. */
  readonly reader: DocumentReader | undefined
}

type Found = { readonly file: ShownFile } | Left
/** Files that one e-mail does not take. */
type Left = { readonly name: string; readonly fault: string; readonly isFinal: true }

// Each may become a link in the text of the e-mail.
const maxFiles = 100

/** Those of a field that the reader may not read are left out without a word, as the field is everywhere. */
export const findFiles = async (
  deps: DocumentDeps,
  { entity, id, fields, reader }: Asked,
): Promise<readonly Found[]> => {
  if (fields.length === 0) return []
  const { access, scope } = reader ?? { access: fullAccess, scope: 'all' as const }
  const reading = { ...deps, entity, access, scope, include: [] }
  const record = await readRecord(deps.pool, reading, id).catch(undefinedIfUnknown)
  if (!record) return []
  const values: Readonly<Record<string, unknown>> = JSON.parse(record.json)
  const columns = fileColumns(entity)
  const files = fields.flatMap((key) => {
    const column = columns.find(({ field }) => field.key === key)
    return column ? shownIn(values[column.name]) : []
  })
  const left = files.length - maxFiles
  return [
    ...files.slice(0, maxFiles).map((file) => ({ file })),
    ...(left > 0
      ? [
          {
            name: `+ ${left}`,
            fault: `an e-mail has at most ${maxFiles} files`,
            isFinal: true as const,
          },
        ]
      : []),
  ]
}

/** A field has one file, several, or none. */
const shownIn = (value: unknown): readonly ShownFile[] =>
  value === null || value === undefined ? [] : [value as ShownFile | ShownFile[]].flat()

// A record that was removed meanwhile, or that the recipients may not read.
const undefinedIfUnknown = (error: unknown): undefined => {
  if (error instanceof ApiError && error.code === 'record.unknown') return undefined
  throw error
}

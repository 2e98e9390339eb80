/** Which entries of a history are asked for: by whom, of one field, or about the record, its parts or its files. */
import { anyOf, int, type Sql, sql, text, texts } from '../database/sql.ts'
import { type Catalog, type Entity, getEntity } from '../definitions/catalog.ts'
import { fileColumns } from '../definitions/files.ts'
import { partSubjects, recordParts } from '../definitions/native-entities.ts'

/** Whether the reader may see a field of a record, or of a part of it, whose entity has this key. */
export type IsVisible = (name: string, part: string | undefined) => boolean

export const historySubjects = ['record', ...partSubjects, 'files'] as const
type HistorySubject = (typeof historySubjects)[number]

export type ChosenEntries = {
  readonly catalog: Catalog
  readonly entity: Entity
  /** All entries without any of them. */
  readonly filter?: {
    /** Who did it: as its author, or acting as another user. */
    readonly user?: number | undefined
    /** The column that was changed. */
    readonly field?: string | undefined
    /** The record itself, parts of it, or files of all of these. */
    readonly about?: HistorySubject | undefined
  }
  readonly isVisible: IsVisible
}

/** Conditions of entries `h` of a record or of parts of it. */
export const chosenEntries = (chosen: ChosenEntries): readonly Sql[] => {
  const { user, field, about } = chosen.filter ?? {}
  return [
    ...(user === undefined
      ? []
      : [sql`(h.user_id = ${int(user)} OR h.acting_user_id = ${int(user)})`]),
    ...(field === undefined ? [] : [changes(field)]),
    ...(about === undefined ? [] : [isAbout(about, chosen)]),
  ]
}

const changes = (name: string): Sql => sql`h.changes -> ${text(name)} IS NOT NULL`

const isOfRecord = sql`h.part_id IS NULL`

const isOfParts = (keys: readonly string[]): Sql =>
  sql`(h.part_id IS NOT NULL AND h.part_key = ANY (${texts(keys)}))`

const isAbout = (subject: HistorySubject, chosen: ChosenEntries): Sql => {
  if (subject === 'record') return isOfRecord
  if (subject === 'files') return changesFiles(chosen)
  return isOfParts(
    [...recordParts].flatMap(([key, part]) => (part.subject === subject ? [key] : [])),
  )
}

/** The entries that have changed hidden files would reveal these. */
const changesFiles = ({ catalog, entity, isVisible }: ChosenEntries): Sql =>
  anyOf(
    [undefined, ...recordParts.keys()].flatMap((part) => {
      const columns = fileColumns(part === undefined ? entity : getEntity(catalog, part))
      const isOfOwner = part === undefined ? isOfRecord : isOfParts([part])
      return columns
        .filter(({ name }) => isVisible(name, part))
        .map(({ name }) => sql`(${isOfOwner} AND ${changes(name)})`)
    }),
  )

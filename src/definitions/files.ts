/** The fields of an entity that hold files, and which files they take. */
import { didYouMean } from '../did-you-mean.ts'
import { shorten } from '../issues.ts'
import { kept } from '../kept.ts'
import type { Catalog, Column, Entity } from './catalog.ts'
import type { ShownFile } from './field-types/files.ts'
import type { FieldDefinition, FieldOf } from './field-types.ts'
import { defaultMaxFiles, isMediaType, isNamedAs, mediaTypes } from './values/media-types.ts'

type FileField = FieldOf<'file'> | FieldOf<'files'>

/** A column of files. */
export type FileColumn = Column & { readonly field: FileField }

export const isFileField = (field: FieldDefinition): field is FileField =>
  field.type === 'file' || field.type === 'files'

export const isFileColumn = (column: Column): column is FileColumn => isFileField(column.field)

/** Those of an entity; none of almost all entities. */
export const fileColumns = kept((entity: Entity): readonly FileColumn[] =>
  entity.columns.filter(isFileColumn),
)

/** How many files a field may have. */
export const maxFilesOf = ({ field }: FileColumn): number =>
  field.type === 'file' ? 1 : (field.maxFiles ?? defaultMaxFiles)

/** Whether any field of the project takes pictures without the location where they were taken. */
export const stripsLocations = ({ entities }: Pick<Catalog, 'entities'>): boolean =>
  [...entities.values()].some((entity) => fileColumns(entity).some(stripsLocation))

export const stripsLocation = ({ field }: FileColumn): boolean => field.stripLocation === true

/** Why a field does not take a file; undefined if it does. */
export const refusedFile = (
  { accept, maxBytes }: FileField,
  { filename, mimetype, bytes }: Pick<ShownFile, 'filename' | 'mimetype' | 'bytes'>,
): string | undefined => {
  if (maxBytes !== undefined && bytes > maxBytes)
    return `has ${bytes} bytes; at most ${maxBytes} are allowed`
  if (accept === undefined) return undefined
  const list = accept.join(', ')
  if (!accept.some((pattern) => isMediaType(pattern, mimetype)))
    return `is ${mimetype} by its content; the field takes ${list}`
  return accept.some((pattern) => isNamedAs(pattern, filename))
    ? undefined
    : `is ${mimetype} by its content, and its name ${JSON.stringify(shorten(filename))} does not end so`
}

/** What is wrong with a media type that a field takes; undefined if nothing is. */
export const acceptIssue = (pattern: string): string | undefined =>
  mediaTypes.some((type) => isMediaType(pattern, type))
    ? undefined
    : `"${pattern}" is none of the media types that files are known by${didYouMean(pattern, mediaTypes)}`

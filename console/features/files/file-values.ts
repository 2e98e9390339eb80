/**
 * The values of fields of files in a form: files that the record has, uploads that no record uses yet, and files that are being sent.
 * A write gets ids of them: of a record that exists what is different, so that two people who write lose nothing.
 */
import type { Field } from '../../api/types.ts'

export type FileItem = {
  readonly filename: string
  readonly bytes: number
  /** Once the service has looked at it. */
  readonly mimetype?: string
  /** Of a file that the record has. */
  readonly id?: number
  /** The id of an upload. */
  readonly upload?: string
  /** Names the sending of a file in this page; an upload keeps it. */
  readonly sending?: string
}

export const isFileField = ({ type }: Pick<Field, 'type'>): boolean =>
  type === 'file' || type === 'files'

const isItem = (value: unknown): value is FileItem =>
  typeof value === 'object' && value !== null && 'filename' in value

/** The files of a value, in their order. */
export const itemsOf = (value: unknown): readonly FileItem[] =>
  (Array.isArray(value) ? value : [value]).filter(isItem)

/** Names an item in its field, also while it is sent. */
export const keyOf = ({ sending, upload, id }: FileItem): string => sending ?? upload ?? String(id)

/** Whether a file of a value is not sent yet, or could not be. */
export const isUnsent = (value: unknown): boolean =>
  itemsOf(value).some(({ id, upload }) => id === undefined && upload === undefined)

// What is not sent stays a name that the service refuses.
const written = ({ id, upload, sending }: FileItem) => id ?? upload ?? sending

const idsOf = (items: readonly FileItem[]): readonly number[] => items.flatMap(({ id }) => id ?? [])

const isInOrder = (ids: readonly number[], before: readonly number[]): boolean =>
  before.filter((id) => ids.includes(id)).every((id, at) => id === ids[at])

/** What is different from the files that the field had; all of them where that has no words for their order. */
const differenceOf = (items: readonly FileItem[], before: readonly FileItem[]) => {
  const had = idsOf(before)
  const isAdded = ({ id }: FileItem) => id === undefined || !had.includes(id)
  const kept = idsOf(items.filter((item) => !isAdded(item)))
  const add = items.filter(isAdded)
  // What is added comes at the end.
  if (items.some((item, at) => at < kept.length && isAdded(item))) return items.map(written)
  const remove = had.filter((id) => !kept.includes(id))
  return {
    ...(add.length > 0 && { add: add.map(written) }),
    ...(remove.length > 0 && { remove }),
    ...(!isInOrder(kept, had) && { order: kept }),
  }
}

/** A value of any field as a write has it; `before` is what the record had, undefined for a new record. */
export const writtenValue = (field: Field | undefined, value: unknown, before?: unknown) => {
  if (field?.type === 'file') return itemsOf(value).map(written)[0] ?? null
  if (field?.type !== 'files') return value
  const items = itemsOf(value)
  return before === undefined ? items.map(written) : differenceOf(items, itemsOf(before))
}

/** What a user has made of `before`, done with what others have made of it. */
export const joinedFiles = (mine: unknown, before: unknown, theirs: unknown): unknown => {
  const [own, had, now] = [itemsOf(mine), itemsOf(before), itemsOf(theirs)]
  const has = (items: readonly FileItem[], item: FileItem) =>
    items.some((one) => keyOf(one) === keyOf(item))
  const all = [
    ...now.filter((item) => has(own, item) || !has(had, item)),
    ...own.filter((item) => !has(had, item) && !has(now, item)),
  ]
  const kept = own.filter((item) => has(had, item) && has(all, item))
  if (isInOrder(idsOf(kept), idsOf(had))) return all
  const first = own.filter((item) => has(all, item))
  return [...first, ...all.filter((item) => !has(first, item))]
}

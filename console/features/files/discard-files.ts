/** Takes back the files of forms that are discarded: nobody else uses their uploads. */
import { itemsOf } from './file-values.ts'

const flat = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.flatMap(flat) : [value]

/** Of values of a form, as deep as lists go. */
export const discardFiles = (values: Iterable<unknown>): void => {
  const items = itemsOf(flat([...values])).filter(({ id }) => id === undefined)
  if (items.length > 0) void import('./uploads.ts').then(({ dropUploads }) => dropUploads(items))
}

/** Cells of a field of files: the ids of uploads, as JSON has them or with semicolons between them. */
import type { FileColumn } from '../../definitions/files.ts'

const upload = /^[\s["]*up_[A-Za-z0-9_-]{32}/

/** Whether a cell begins with the id of an upload, which no name of a file does by chance. */
export const namesUploads = (text: string): boolean => upload.test(text)

/** As a write has them; the check of the field says what is wrong with them. */
export const readUploads = (text: string, { field }: FileColumn): unknown => {
  if (/^\s*[[{"]/.test(text)) return parsed(text)
  const ids = text
    .split(';')
    .map((id) => id.trim())
    .filter((id) => id !== '')
  return field.type === 'file' && ids.length === 1 ? ids[0] : ids
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

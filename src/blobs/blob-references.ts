/** What refers to bytes of the store: they stay as long as anything does. */

/** A column that holds their SHA-256, of a table by its whole name; it has an index. */
export type BlobReference = { readonly table: string; readonly column: string }

/** A table that refers to bytes is a row here. */
export const blobReferences: readonly BlobReference[] = [
  { table: 'docket.upload', column: 'sha256' },
  { table: 'docket.upload', column: 'placeless_sha256' },
  { table: 'docket.file', column: 'sha256' },
  { table: 'docket.attachment', column: 'sha256' },
]

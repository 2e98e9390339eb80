/** Media types of files that are imported; what a file is, is found in it. */
export const fileTypes = [
  'text/csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/x-ndjson',
  'application/octet-stream',
]

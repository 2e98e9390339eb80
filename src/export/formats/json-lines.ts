/** The two JSON formats: one object per line (ndjson), or one array (json). */
import type { Batch } from '../../database/copy.ts'
import { jsonObject, jsonValue } from '../../query/record-json.ts'
import { cellExpression, type ExportFormat, type ExportSheet, rowAsItIs } from '../export-format.ts'

const objects = {
  copyOptions: rowAsItIs,
  list: ({ columns }: ExportSheet) =>
    jsonObject(
      columns.map((column) => ({
        name: column.header,
        text: jsonValue(column.ref, cellExpression(column)),
      })),
    ),
}

export const ndjson: ExportFormat = {
  ...objects,
  name: 'ndjson',
  contentType: 'application/x-ndjson; charset=utf-8',
  extension: 'ndjson',
  rowTerminator: { end: '\n', separator: '' },
  encode: async function* (batches: AsyncIterable<Batch>) {
    for await (const { bytes } of batches) yield bytes
  },
}

export const json: ExportFormat = {
  ...objects,
  name: 'json',
  contentType: 'application/json; charset=utf-8',
  extension: 'json',
  rowTerminator: { end: '', separator: ',\n' },
  encode: async function* (batches: AsyncIterable<Batch>) {
    yield Buffer.from('[')
    for await (const { bytes } of batches) yield bytes
    yield Buffer.from(']\n')
  },
}

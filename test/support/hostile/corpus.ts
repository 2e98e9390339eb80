/** Hostile requests: each row has broken a service of this kind, or could have. */
import type { Row } from './a-row.ts'
import { bodyRows, issueRows } from './body-rows.ts'
import { manyRecordsRows } from './many-records-rows.ts'
import { searchRows } from './search-rows.ts'
import { sizeRows } from './share-rows.ts'

export const corpus: readonly Row[] = [
  ...[...bodyRows, ...issueRows, ...searchRows, ...manyRecordsRows, ...sizeRows],
]

/** The rows that `npm test` sends too: one for each kind of limit. */
export const sampledNames: readonly string[] = [
  'a body without credentials: duplicate names',
  'a body in place of a credential: backslashes',
  'a body of a known caller: arrays in arrays',
  'many unknown fields',
  'many unknown criteria',
  'many unknown form fields',
  'many invalid preferences',
  'patterns of backslashes',
  'cursors, words and totals that are too large or no such thing',
  'values that make backtracking patterns slow',
  'a bulk write with very many ids, versions or properties',
  'a question for the actions of very many records',
  'saved views with very many names or levels',
  'a list of large records',
  'a long text in notifications and e-mails',
]

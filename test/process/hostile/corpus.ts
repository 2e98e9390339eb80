/** Hostile requests: each row has broken a service of this kind, or could have. */
import type { Row } from './a-row.ts'
import { bodyRows, issueRows } from './body-rows.ts'
import { manyRecordsRows } from './many-records-rows.ts'
import { searchRows } from './search-rows.ts'
import { heldConnectionRows, sharedResourceRows, sizeRows } from './share-rows.ts'

export const corpus: readonly Row[] = [
  ...[...bodyRows, ...issueRows, ...searchRows, ...manyRecordsRows, ...sizeRows],
  // Last, because these rows leave an address that has sent too many wrong credentials.
  ...[...heldConnectionRows, ...sharedResourceRows],
]

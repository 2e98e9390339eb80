/** What hostile callers send: each row once broke a service of this kind, or would have. */
import type { Row } from './a-row.ts'
import { issues, ofBodies } from './body-rows.ts'
import { searches } from './search-rows.ts'
import { held, shares, sizes } from './share-rows.ts'

export const corpus: readonly Row[] = [
  ...[...ofBodies, ...issues, ...searches, ...sizes],
  // The last ones, for they leave an address that has guessed too often.
  ...[...held, ...shares],
]

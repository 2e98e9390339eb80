/** The criteria of an export. */
import { validationError } from '../errors.ts'
import type { Criteria } from '../query/criteria/criteria.ts'
import { parseCriteria } from '../query/criteria/parse-criteria.ts'

/** Reads the body; throws criteria.invalid. */
export const readCriteria = (body: unknown): Criteria => {
  const criteria = parseCriteria(body, 'rows')
  if (typeof body === 'object' && body !== null && '$count' in body)
    throw validationError('criteria.invalid', [
      {
        path: '$count',
        message: 'is only for searches; an export with manifest=true returns its number of rows',
      },
    ])
  return criteria
}

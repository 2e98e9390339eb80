/**
 * Limits the size of an answer. PostgreSQL adds up sizes before it builds the texts, so that an answer
 * that is too large is neither built nor sent.
 */
import { apiError } from '../errors.ts'

/** Maximum bytes of the texts of one answer; for every list, but not for streamed exports. */
const maxAnswerBytes = 16 * 1024 * 1024

/**
 * SQL: the expression, or null in every row when the rows of the page together exceed the limit. Use it
 * outside of the subquery with the LIMIT; `bytes` is the size of one row.
 */
export const withinBudget = (expression: string, bytes: string): string =>
  bytes === '0'
    ? expression
    : `CASE WHEN sum(${bytes}) OVER () <= ${maxAnswerBytes} THEN ${expression} END`

/**
 * SQL: the expression, or null in a row that exceeds its share of an answer with this many rows. When no
 * row is null, the answer is within the limit; adding up all sizes would cost a tenth of the time of a
 * list.
 */
export const withinShare = (expression: string, bytes: string, rows: number): string =>
  bytes === '0' ? expression : `CASE WHEN ${bytes} <= ${shareOf(rows)} THEN ${expression} END`

// Rounded, so that there are few different statements.
const shareOf = (rows: number): number => maxAnswerBytes / 2 ** Math.ceil(Math.log2(rows))

/** The value of such an expression; throws when the answer is too large. */
export const takeWithinBudget = (value: string | null): string => {
  if (value === null)
    throw apiError(
      'answer.too-large',
      `The answer would exceed ${maxAnswerBytes / 1024 / 1024} MiB.`,
    )
  return value
}

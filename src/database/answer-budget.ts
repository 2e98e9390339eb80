/**
 * How much one answer may hold. PostgreSQL adds up the sizes before it makes the texts, so that what is
 * too large is neither made nor sent to this process.
 */
import { apiError } from '../errors.ts'

/** The most bytes of the texts of one answer; each list has it, the export as a stream has not. */
const maxAnswerBytes = 16 * 1024 * 1024

/**
 * SQL: the expression, null in every row where all rows of the page hold more bytes than an answer may.
 * It stands outside of the subquery with the LIMIT; `bytes` is the size of one row.
 */
export const withinBudget = (expression: string, bytes: string): string =>
  bytes === '0'
    ? expression
    : `CASE WHEN sum(${bytes}) OVER () <= ${maxAnswerBytes} THEN ${expression} END`

/**
 * SQL: the expression, null in a row that holds more than its share of an answer of so many rows. Where no
 * row is null, all of them are within the budget; to add them up costs a list a tenth of its time.
 */
export const withinShare = (expression: string, bytes: string, rows: number): string =>
  bytes === '0' ? expression : `CASE WHEN ${bytes} <= ${shareOf(rows)} THEN ${expression} END`

// For few different numbers of rows, so that statements are few too.
const shareOf = (rows: number): number => maxAnswerBytes / 2 ** Math.ceil(Math.log2(rows))

/** The value of such an expression, or the error of an answer that is too large. */
export const takeWithinBudget = (value: string | null): string => {
  if (value === null)
    throw apiError(
      'answer.too-large',
      `The answer would hold more than ${maxAnswerBytes / 1024 / 1024} MiB.`,
    )
  return value
}

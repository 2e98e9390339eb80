/**
 * How much one answer may hold. PostgreSQL adds up the sizes before it makes the texts, so that what is
 * too large is neither made nor sent to this process.
 */
import { fault } from '../errors.ts'

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

/** SQL: the same for a statement that gives one row. */
export const rowWithinBudget = (expression: string, bytes: string): string =>
  bytes === '0' ? expression : `CASE WHEN ${bytes} <= ${maxAnswerBytes} THEN ${expression} END`

/** The value of such an expression, or the fault of an answer that is too large. */
export const takeWithinBudget = (value: string | null): string => {
  if (value === null)
    throw fault(
      'answer.too-large',
      `The answer would hold more than ${maxAnswerBytes / 1024 / 1024} MiB.`,
    )
  return value
}

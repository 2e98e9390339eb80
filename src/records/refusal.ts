/** Tells what PostgreSQL refused for the values' sake from everything else that can go wrong. */

// 23505 unique_violation, 23503 foreign_key_violation.
const refusals = new Set(['23505', '23503'])

/** Whether a statement failed because of other records' values. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof Error && refusals.has(String((error as { code?: unknown }).code))

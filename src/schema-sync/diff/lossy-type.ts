/** Changes of the type of a column that do not fit every value. */
import { blocked, type Change, counted, destructive, safe } from './change.ts'
import type { LossyValues } from './table-stats.ts'

/** A value that others wrote since then is looked for under the lock: a value that does not fit fails by itself. */
const whileFitting = (change: Change, { finds }: Lossy): Change => ({
  ...change,
  unless: {
    finds,
    refused: destructive(
      change.sql,
      `${change.reason.replace(/: every value fits$/, '')}: a value that was written meanwhile would be rounded or cut`,
    ),
  },
})

type Lossy = {
  readonly values: LossyValues | undefined
  /** Finds a value that would be rounded or cut. */
  readonly finds: string
}

/** The change of a type that may round, cut or reject values: what becomes of it depends on those that are there. */
export const lossyType = (sql: string, reason: string, lossy: Lossy): Change => {
  const { values } = lossy
  if (!values) return destructive(sql, `${reason}: values could be cut or rejected`)
  const { cut, refused, ids } = values
  const example =
    ids.length === 0
      ? ''
      : `, for example in ${ids.length === 1 ? 'the record' : 'the records'} ${ids.join(' and ')}`
  if (refused > 0)
    return blocked(
      sql,
      `${reason}, but ${counted(refused, ['value does', 'values do'])} not fit${example}`,
      'make the values fit',
    )
  if (cut === 0) return whileFitting(safe(sql, `${reason}: every value fits`), lossy)
  return destructive(
    sql,
    `${reason}: ${counted(cut, ['value', 'values'])} would be rounded or cut${example}`,
  )
}

/** Rejects a plan with changes that must not be applied, before anything is written. */
import { StartupError } from '../errors.ts'
import type { Change } from './diff/change.ts'

/** The database cannot follow the definitions without permission; nothing was changed. */
export class SchemaRefusal extends StartupError {
  override name = 'SchemaRefusal'
}

/** The changes that must not be applied. */
export const refusedOf = (changes: readonly Change[], allowDestructive: boolean): Change[] =>
  changes.filter(({ kind }) => kind === 'blocked' || (kind === 'destructive' && !allowDestructive))

/** Throws a SchemaRefusal that names every change that must not be applied, and what to do. */
export const refuseChanges = (changes: readonly Change[], allowDestructive: boolean): void => {
  const refused = refusedOf(changes, allowDestructive)
  if (refused.length === 0) return
  const list = refused.map(({ reason, sql, first }) => {
    const before = first === undefined ? '' : `; ${first} first`
    return `  ${reason}${before}\n    ${sql};`
  })
  const needsLeave = refused.some(({ kind }) => kind === 'destructive')
  const [head, next] = needsLeave
    ? [
        'The definitions require changes that could lose data or block',
        '\n"docket migrate --plan" shows every statement, "docket migrate --allow-destructive" runs them.',
      ]
    : ['The database cannot follow the definitions yet', '']
  throw new SchemaRefusal(`${head}; nothing was changed:\n${list.join('\n')}${next}`)
}

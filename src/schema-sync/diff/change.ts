/** One step from the current schema to the desired one, and which steps are refused before anything is written. */
import { type Sql, tableName, toLiteralText } from '../../database/sql.ts'
import { StartupError } from '../../errors.ts'

/**
 * How a change is handled:
 * - `safe`: it loses nothing and is applied;
 * - `whileKept`: applied too, but unnecessary if its column is dropped;
 * - `kept`: not required; what it would drop is kept and ignored, unless it is to be dropped (`--drop-kept`);
 * - `destructive`: the definitions require it and it could lose data, so it needs permission (`--allow-destructive`);
 * - `blocked`: existing rows prevent it, with or without permission;
 * - `warning`: never applied; the statement finds the records that it reports.
 */
type ChangeKind = 'safe' | 'whileKept' | 'kept' | 'destructive' | 'blocked' | 'warning'

/**
 * Phases in their order. Those `together` run in one transaction, with short locks; the others run their changes one by one,
 * may take long and allow writing.
 */
export const phases = [
  { name: 'first', isTogether: true },
  { name: 'fill', isTogether: false },
  { name: 'filled', isTogether: true },
  { name: 'between', isTogether: false },
  { name: 'last', isTogether: true },
] as const

type Phase = (typeof phases)[number]['name']

/** Whether a change may take long, while others read and write. */
export const mayTakeLong = ({ phase }: Change): boolean =>
  phases.some(({ name, isTogether }) => name === phase && !isTogether)

export type Change = {
  readonly kind: ChangeKind
  readonly sql: string
  /** Why it is needed, for readers of the plan. */
  readonly reason: string
  /** What must be done first, when it is blocked. */
  readonly first?: string
  /** The table that it locks, by its name when the phase begins; undefined when it does not exist yet. */
  readonly table?: string
  /** Default `first`. */
  readonly phase?: Phase
  /** Whether it calculates stored values again. */
  readonly isCalculation?: boolean
  /** What was read before the lock was taken: checked again under it. */
  readonly unless?: Unless
}

/** A query that finds a row when a change must not run any more, and the reason. */
type Unless = { readonly finds: string; readonly refused: Change }

/** The printed form of a statement: one line, without parameters. */
export const printSql = ({ parts }: Sql): string =>
  toLiteralText({
    parts: parts.map((part) => (typeof part === 'string' ? part.replace(/\s*\n\s*/g, ' ') : part)),
  }).trim()

/** A change that loses nothing. */
export const safe = (sql: string, reason: string): Change => ({ kind: 'safe', sql, reason })

/** A change that needs permission. */
export const destructive = (sql: string, reason: string): Change => ({
  kind: 'destructive',
  sql,
  reason,
})

/** A change that drops what no definition has; it is kept without `--drop-kept`. */
export const dropOfKept = (sql: string, reason: string): Change => ({ kind: 'kept', sql, reason })

/** A change that is blocked by rows. */
export const blocked = (sql: string, reason: string, first: string): Change => ({
  kind: 'blocked',
  sql,
  reason,
  first,
})

export const during = (phase: Phase, change: Change): Change => ({ ...change, phase })

/** What a sync may do besides what loses nothing. */
export type Allowed = {
  /** `--allow-destructive` */
  readonly allowDestructive?: boolean
  /** `--drop-kept` */
  readonly dropKept?: boolean
}

export const isApplied = ({ kind }: Change, allowed: Allowed): boolean => {
  const { allowDestructive = false, dropKept = false } = allowed
  if (kind === 'kept') return dropKept
  if (kind === 'whileKept') return !dropKept
  return kind === 'safe' || (kind === 'destructive' && allowDestructive)
}

/** The start of a statement on an entity's table. */
export const alterTable = (table: string, what: string): string =>
  `ALTER TABLE ${tableName(table)} ${what}`

export const maxCounted = 10_000

/** A count with its noun: `counted(1, ['record exists', 'records exist'])` is "1 record exists". */
export const counted = (count: number, [one, many]: readonly [string, string]): string =>
  `${count > maxCounted ? `more than ${maxCounted}` : count} ${count === 1 ? one : many}`

/** The database cannot follow the definitions without permission; nothing was changed. */
export class SchemaRefusal extends StartupError {
  override name = 'SchemaRefusal'
}

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

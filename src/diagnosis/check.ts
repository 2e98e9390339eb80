/** A check of a database: what it found, how good that is, what to do, and how amounts are printed. Commands are tables of checks. */
import type pg from 'pg'
import type { Config } from '../config/load-config.ts'
import { type Queryable, queryOnce } from '../database/pool.ts'
import type { Sql } from '../database/sql.ts'
import type { Calculating } from '../schema-sync/calculations/calculation-sql.ts'
import type { ConnectionDemand } from './connection-demand.ts'

/** From the best to the worst. `unknown`: the role may not see it, or PostgreSQL does not say it. */
const levels = ['ok', 'unknown', 'warn', 'fail'] as const

export type Level = (typeof levels)[number]

export type Verdict = {
  readonly level: Level
  /** What was found, for people. */
  readonly value: string
  /** What to do about it. */
  readonly advice?: string
  /** What was read, for machines. */
  readonly facts?: unknown
}

export type Check<Target> = {
  readonly name: string
  readonly run: (target: Target) => Promise<Verdict>
}

export type Finding = { readonly check: string } & Verdict

/** Runs the checks one after the other: they share a connection, and disturb each other's times. */
export const runChecks = async <Target>(
  checks: readonly Check<Target>[],
  target: Target,
): Promise<Finding[]> => {
  const findings: Finding[] = []
  for (const { name, run } of checks)
    findings.push({ check: name, ...(await run(target).catch(unseen)) })
  return findings
}

/** What PostgreSQL does not show, by SQLSTATE; every other error ends the command. */
const unseenTexts: Readonly<Record<string, string>> = {
  '42501': 'this role may not see it',
  '57014': 'PostgreSQL did not answer in time',
  '55P03': 'PostgreSQL did not answer in time',
  '42P01': 'the tables of Docket are missing; "docket migrate" creates them',
  '3F000': 'the tables of Docket are missing; "docket migrate" creates them',
  '42883': 'this server does not say it',
  '42703': 'this server does not say it',
  '0A000': 'this server does not say it',
}

const unseen = (error: unknown): Verdict => {
  const value = unseenTexts[String((error as { code?: unknown }).code)]
  if (value === undefined) throw error
  return { level: 'unknown', value }
}

/** A check of the rows of one statement. */
export const checkRows = <Row extends object, Target extends { readonly database: Queryable }>(
  name: string,
  statement: Sql,
  judge: (rows: readonly Row[], target: Target) => Verdict,
): Check<Target> => ({
  name,
  run: async (target) => {
    const rows = await queryOnce<Row>(target.database, statement)
    return { facts: rows, ...judge(rows, target) }
  },
})

type Thresholds = { readonly warn: number; readonly fail?: number }

/** The level of a number that is bad from a threshold on. */
export const levelOf = (
  value: number,
  { warn, fail = Number.POSITIVE_INFINITY }: Thresholds,
): Level => (value >= fail ? 'fail' : value >= warn ? 'warn' : 'ok')

/** The worst of some levels; `ok` of none. */
export const worstOf = (found: readonly { readonly level: Level }[]): Level =>
  levels.findLast((level) => found.some((one) => one.level === level)) ?? 'ok'

/** A verdict whose advice is only given where it is not ok. */
export const verdict = (level: Level, value: string, advice: string): Verdict =>
  level === 'ok' ? { level, value } : { level, value, advice }

/** Who sees what others do. */
export const monitorAdvice =
  'GRANT pg_monitor TO the role of DATABASE_URL, which lets it see statistics of other roles.'

const secondsOf = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const

/** `3 d`, `5 min`, `12 s`, `0.4 s`. */
export const printSeconds = (seconds: number): string => {
  const [size, unit] = secondsOf.find(([one]) => seconds >= 2 * one) ?? [1, 's']
  const amount = seconds / size
  return `${amount >= 10 || size > 1 ? Math.floor(amount) : Math.round(amount * 10) / 10} ${unit}`
}

const byteUnits = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `1.5 GiB`. */
export const printBytes = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(byteUnits.length - 1, Math.floor(Math.log2(bytes) / 10))
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${byteUnits[power]}`
}

/** `a, b, c and 4 more`. */
export const printSome = (words: readonly string[], most = 3): string => {
  const left = words.length - most
  return `${words.slice(0, most).join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}

/** What `docket doctor` examines: the database in use, or with `--server` a server that a database may be moved to. */
export type DoctorTarget = {
  readonly database: Queryable
  /** The definitions; undefined if the project has errors, or there is none. */
  readonly definitions: Calculating | undefined
  /** Of DATABASE_REPLICA_URL and DATABASE_EXPORT_URL. */
  readonly replicas: readonly OwnReplica[]
  readonly demand: ConnectionDemand
  readonly config: Config
}

export type OwnReplica = {
  /** Host and port. */
  readonly name: string
  /** The text of the error if it cannot be opened. */
  readonly found: Queryable | string
}

export type DoctorCheck = Check<DoctorTarget>

export type ServerTarget = {
  readonly database: pg.Client
  /** A second connection to the same address. */
  readonly other: pg.Client
  /** Whether the address leads to a pooler that assigns a session per transaction. */
  readonly isPooled: boolean
  /** The host of the address. */
  readonly host: string
  /** How many connections one process may open. */
  readonly demand: number
}

/** With a schema of its own, which is dropped afterwards. */
export type TrialTarget = ServerTarget & { readonly schema: string }

export type TargetCheck = Check<ServerTarget>
export type TrialCheck = Check<TrialTarget>

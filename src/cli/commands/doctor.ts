/** `docket doctor`: what operators have to know about the database, or about a server before it is used, with what to do about it. */
import type { Config } from '../../config/load-config.ts'
import { connectErrorOf } from '../../database/connections/wait-for-database.ts'
import { createPool } from '../../database/pool.ts'
import { serverName } from '../../database/replicas/replica.ts'
import { loadProject } from '../../definitions/load-project.ts'
import { type Finding, type Level, runChecks, worstOf } from '../../diagnosis/check.ts'
import { checkServer } from '../../diagnosis/check-server.ts'
import { connectionDemandOf } from '../../diagnosis/connection-demand.ts'
import { doctorChecks } from '../../diagnosis/doctor-checks.ts'
import type { Observe } from '../../observations.ts'
import { checkConditions } from '../../query/conditions/check-conditions.ts'
import { openDatabase, timeZoneOf } from '../../runtime/open-database.ts'
import { type Command, exitCodes, type Terminal, UsageError } from '../command.ts'
import { alignedTable } from '../output.ts'
import { requireExistingDatabase } from '../require-project.ts'

const statementMs = 10_000

export const command: Command = {
  usage: '',
  summary: 'Examine the database: what is wrong, and what to do about it.',
  options: {
    server: {
      type: 'string',
      value: 'URL',
      help: 'Examine this server instead, before Docket uses it; nothing stays on it.',
    },
    json: { type: 'boolean', help: 'Print the findings as JSON, for machines.' },
  },
  positionals: 0,
  run: async ({ config, options, terminal, observe }) => {
    const { server } = options
    const findings =
      typeof server === 'string'
        ? await examineServer(config, server)
        : await examineDatabase(config, observe)
    return printFindings(findings, { terminal, asJson: options.json === true })
  },
}

const examineServer = async (config: Config, url: string): Promise<Finding[]> => {
  // The address may contain a password, so it is not repeated.
  if (!/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError('URL must be the address of a database: postgres://ROLE@HOST/DATABASE.')
  const demand = connectionDemandOf(config)
  return checkServer(url, demand.requests + demand.jobs + demand.process + demand.start)
}

const examineDatabase = async (config: Config, observe: Observe): Promise<Finding[]> => {
  await requireExistingDatabase(config)
  const opened = await openDatabase(config, observe)
  const replicas = await openReplicas(config, observe)
  try {
    const database = await opened.pool.connect()
    try {
      await database.query(
        `SET statement_timeout = ${statementMs}; SET lock_timeout = ${statementMs}`,
      )
      const definitions = await readDefinitions(config)
      const demand = connectionDemandOf(config)
      const target = { database, definitions, replicas, demand, config }
      return await runChecks(doctorChecks, target)
    } finally {
      database.release(true)
    }
  } finally {
    await Promise.all(replicas.map(({ close }) => close()))
    await opened.close()
  }
}

/** Undefined if it cannot be known from them what is calculated. */
const readDefinitions = async (config: Config) => {
  const { project } = await loadProject(config.PROJECT, config.TIME_ZONE)
  if (!project) return undefined
  const timeZone = timeZoneOf(project, config)
  const findings = checkConditions(project, timeZone)
  if (findings.some(({ severity }) => severity === 'error')) return undefined
  return { catalog: project.catalog, timeZone }
}

const replicaSettings = ['DATABASE_REPLICA_URL', 'DATABASE_EXPORT_URL'] as const

const openReplicas = (config: Config, observe: Observe) => {
  const settings = new Map(
    // The first setting that has an address names it.
    replicaSettings.toReversed().flatMap((name) => (config[name] ?? []).map((url) => [url, name])),
  )
  return Promise.all(
    [...settings].map(([connectionString, setting]) =>
      openReplica(connectionString, setting, observe),
    ),
  )
}

/** Its connection, or why there is none. */
const openReplica = async (connectionString: string, setting: string, observe: Observe) => {
  const work = { kind: 'health' } as const
  const pool = createPool({ connectionString, size: 1, observe, work })
  const found = await pool.query('SELECT').then(
    () => pool,
    (error: unknown) => connectErrorOf(error, connectionString, setting).text,
  )
  return { name: serverName(connectionString), found, close: () => pool.end() }
}

const words: Readonly<Record<Level, string>> = {
  ok: 'ok',
  unknown: '?',
  warn: 'warn',
  fail: 'FAIL',
}

const codes: Readonly<Record<Level, number>> = {
  ok: exitCodes.done,
  unknown: exitCodes.done,
  warn: exitCodes.warned,
  fail: exitCodes.unhealthy,
}

/** Prints them, and returns the code of the worst. */
export const printFindings = (
  findings: readonly Finding[],
  { terminal, asJson }: { readonly terminal: Terminal; readonly asJson: boolean },
): number => {
  const worst = worstOf(findings)
  if (asJson) terminal.out(`${JSON.stringify({ worst, checks: findings }, null, 2)}\n`)
  else {
    terminal.out(`${printTable(findings)}\n`)
    terminal.note(`${summaryOf(findings)}\n`)
  }
  return codes[worst]
}

/** What to do stands below the line that it belongs to. */
const printTable = (findings: readonly Finding[]): string => {
  const lines = alignedTable(
    findings.map(({ level, check, value }) => [words[level], check, value]),
  ).split('\n')
  return lines
    .flatMap((line, index) => {
      const advice = findings[index]?.advice
      return advice === undefined ? [line] : [line, `      ${advice}`]
    })
    .join('\n')
}

const summaryOf = (findings: readonly Finding[]): string => {
  const count = (wanted: Level) => findings.filter(({ level }) => level === wanted).length
  return `${findings.length} checks: ${count('fail')} failed, ${count('warn')} with a warning, ${count('unknown')} not seen.`
}

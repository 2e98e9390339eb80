/** The log: one line per observation, as JSON or as a short line on a terminal. */
import { pino } from 'pino'
import { errorText } from '../errors.ts'
import type { Observation, ObservationKind, Observe } from '../observations.ts'

type Level = 'error' | 'warn' | 'info' | 'debug' | 'trace'

// The severity of each kind of observation.
const levels: Record<ObservationKind, Level> = {
  serviceStarted: 'info',
  serviceStopping: 'info',
  serviceStopped: 'info',
  schemaSynced: 'info',
  schemaChanging: 'info',
  schemaWarning: 'warn',
  embeddedDatabaseStarted: 'info',
  embeddedDatabaseLost: 'error',
  deliveriesHeld: 'warn',
  deliveriesReleased: 'info',
  administratorCreated: 'warn',
  userProvisioned: 'info',
  userBound: 'info',
  passwordSet: 'info',
  credentialChanged: 'info',
  recoveryCodeUsed: 'info',
  passkeyCounterFell: 'warn',
  userInvited: 'info',
  userLeft: 'info',
  callerRefused: 'warn',
  signInFailed: 'warn',
  roleUnknown: 'warn',
  definitionWarning: 'warn',
  requestAnswered: 'info',
  requestFailed: 'error',
  limitReached: 'warn',
  requestRefused: 'warn',
  exportEnded: 'info',
  exportMoved: 'warn',
  exportAborted: 'error',
  exportLeft: 'warn',
  exportCut: 'warn',
  notificationsStored: 'debug',
  recipientsSkipped: 'info',
  groupUnknown: 'warn',
  dueDateUnread: 'warn',
  datesSkipped: 'warn',
  deliverySent: 'debug',
  deliveryFailed: 'warn',
  deliveryDead: 'error',
  attachmentFailed: 'error',
  maintenanceFailed: 'error',
  retentionApplied: 'info',
  auditFailed: 'error',
  functionLogged: 'info',
  documentDoubtful: 'warn',
  documentEnded: 'warn',
  traceExportFailed: 'warn',
  databaseConnectionLost: 'error',
  replicaAway: 'warn',
  replicaBack: 'info',
  connectionsCounted: 'trace',
  databaseAwaited: 'warn',
  callerCacheCleared: 'warn',
  notificationPushDelayed: 'warn',
  deliveryWakeUpDelayed: 'warn',
  jobDone: 'debug',
  jobFailed: 'warn',
  jobDead: 'error',
  workerStarted: 'info',
  workerStopped: 'info',
  workerInterrupted: 'error',
  workerRecovered: 'warn',
}

type LoggerOptions = {
  readonly level: string
  /** Short lines instead of JSON. */
  readonly isPretty: boolean
  readonly write: (line: string) => void
}

/** An observer that logs. Observations contain no secrets. */
export const createLogger = ({ level, isPretty, write }: LoggerOptions): Observe => {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => write(isPretty ? prettyLine(line) : line) },
  )
  return (observation) => {
    const { kind, ...rest } = observation
    logger[levels[kind]]({ ...rest, ...errorFields(observation) }, kind)
  }
}

// Their code is enough; a stack adds nothing.
const withoutStack = new Set<ObservationKind>(['requestRefused', 'exportMoved'])

/** Adds errors with their causes and stacks. */
const errorFields = (observation: Observation) => {
  if (!('error' in observation)) return {}
  const { error } = observation
  const cause = error instanceof Error ? error.cause : undefined
  return {
    error: errorText(error),
    ...(cause !== undefined && { cause: errorText(cause) }),
    ...(error instanceof Error &&
      error.stack !== undefined &&
      !withoutStack.has(observation.kind) && { stack: error.stack }),
  }
}

const prettyLine = (line: string): string => {
  const { level, time, msg, stack, ...fields } = JSON.parse(line) as Record<string, unknown>
  const clock = String(time).slice(11, 23)
  const details = Object.entries(fields).map(([name, value]) => `${name}=${short(value)}`)
  const trace = stack === undefined ? '' : `\n${stack}`
  return `${clock} ${String(level).padEnd(5)} ${msg} ${details.join(' ')}${trace}\n`
}

const short = (value: unknown): string =>
  typeof value === 'number'
    ? String(Math.round(value * 10) / 10)
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)

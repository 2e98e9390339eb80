/**
 * The list of observed events. Code never logs text: it reports one of these, and the logger and the
 * metrics decide what to show (docs/operations.md lists them).
 */

export type Observation =
  | { kind: 'serviceStarted'; address: string; project: string; entities: number; ms: number }
  | { kind: 'serviceStopping'; signal: string; graceMs: number }
  | { kind: 'serviceStopped' }
  | { kind: 'schemaSynced'; statements: number; ms: number }
  /** A schema change that takes long; reported at intervals until it is done. */
  | {
      kind: 'schemaChanging'
      statement: string
      seconds: number
      /** What PostgreSQL does for it, with the part that is done. */
      phase?: string
      percent?: number
      /** Whom it waits for. */
      waitsFor?: string
    }
  /** Tables and columns without a definition, which are kept, and records that break a new rule. */
  | { kind: 'schemaWarning'; warnings: readonly string[] }
  | { kind: 'embeddedDatabaseStarted'; directory: string; ms: number }
  | { kind: 'embeddedDatabaseLost'; error: unknown }
  /** Jobs and e-mails are held: the database is a copy, or a setting says so. */
  | { kind: 'deliveriesHeld'; reason: string }
  | { kind: 'deliveriesReleased' }
  | { kind: 'administratorCreated'; email: string }
  | { kind: 'userProvisioned'; userId: number; role: string }
  | { kind: 'passwordSet'; userId: number; by: 'invitation' | 'change' }
  /** A user has added or removed a way to sign in, or an API key, which administrators revoke too. */
  | {
      kind: 'credentialChanged'
      userId: number
      credential: 'passkey' | 'app' | 'recovery codes' | 'API key'
      change: 'added' | 'removed'
      by: 'invitation' | 'user' | 'administrator'
    }
  | { kind: 'recoveryCodeUsed'; userId: number }
  /** A passkey has signed with a counter that it had before: there may be a copy of it. */
  | {
      kind: 'passkeyCounterFell'
      userId: number
      passkeyId: number
      former: number
      counter: number
    }
  /** `by`: the administrator; null for the command line. */
  | { kind: 'userInvited'; userId: number; by: number | null }
  /** An administrator has ended the account of a user who leaves; `to` has their work now. */
  | { kind: 'userLeft'; userId: number; by: number; to: number | null }
  /** A first-time caller became the user with their verified e-mail. */
  | { kind: 'userBound'; userId: number; subject: string }
  /** The issuer vouches for a person who is no user who may call; the same one is reported once a minute. */
  | {
      kind: 'callerRefused'
      subject: string
      email: string | undefined
      isEmailVerified: boolean
      reason: string
    }
  /** A sign-in at the issuer failed, for a reason that the page shows as a code. */
  | { kind: 'signInFailed'; requestId: string; reason: string; detail: string }
  /** Users have a role without a file, and may do nothing; null: its record was removed. */
  | { kind: 'roleUnknown'; role: string | null; users: number }
  | { kind: 'definitionWarning'; file: string; path: string; message: string }
  | {
      kind: 'requestAnswered'
      requestId: string
      method: string
      /** The path's pattern, never the path itself: ids and names stay out of the metrics. */
      route: string
      status: number
      ms: number
      userId: number | undefined
      /** Key of the entity that the path names. */
      entity?: string
      /** The code of the error response. */
      code?: string
    }
  | { kind: 'requestFailed'; requestId: string; error: unknown }
  /** A limit of the server, reported at most once a minute, with the address or user that reached it. */
  | { kind: 'limitReached'; limit: string; address?: string; userId?: number }
  /** Answered by a 5xx with an expected cause: a limit, a deadline, an unavailable database. */
  | { kind: 'requestRefused'; requestId: string; code: string; error: unknown }
  | {
      kind: 'exportEnded'
      requestId: string
      entity: string
      format: string
      rows: number
      bytes: number
      ms: number
    }
  /** A replica did not answer it: before its first bytes it runs again on another server. */
  | { kind: 'exportMoved'; requestId: string; entity: string; format: string; error: unknown }
  | {
      kind: 'exportAborted'
      requestId: string
      entity: string
      format: string
      rows: number
      error: unknown
    }
  | {
      /** The client disconnected, or was disconnected because it read too slowly. */
      kind: 'exportLeft' | 'exportCut'
      requestId: string
      entity: string
      format: string
      rows: number
    }
  | {
      kind: 'notificationsStored'
      entity: string
      id: number
      /** Index of the rule in the definition; for a task: `task`. */
      entry: number | 'task'
      stored: number
    }
  | {
      kind: 'recipientsSkipped'
      entity: string
      id: number
      entry: number
      reason: string
      count: number
      /** The first of them. */
      userIds: readonly number[]
    }
  | { kind: 'groupUnknown'; entity: string; id: number; entry: number; group: string }
  /** The due date of a rule rendered to something else than a date, so many times: those notifications have none. */
  | { kind: 'dueDateUnread'; entity: string; id: number; entry: number; count: number }
  /** Dates that were due while no process ran, longer ago than their rules notify of them. */
  | {
      kind: 'datesSkipped'
      entity: string
      field: string
      shift: string
      at: string
      records: number
    }
  | {
      kind: 'deliverySent'
      channel: string
      delivery: number
      provider: string
      tries: number
    }
  | {
      kind: 'deliveryFailed' | 'deliveryDead'
      channel: string
      delivery: number
      provider: string
      tries: number
      of: number
      error: unknown
    }
  | { kind: 'attachmentFailed'; mailing: number; name: string; fault: string }
  | { kind: 'maintenanceFailed'; task: string; error: unknown }
  /** A rule of retention has removed or anonymised so many records. */
  | {
      kind: 'retentionApplied'
      entity: string
      operation: 'remove' | 'anonymise'
      after: string
      of: string
      records: number
    }
  /** An event of what has happened already could not be stored, so that it is here alone. */
  | { kind: 'auditFailed'; event: string; error: unknown }
  /** A line that a function of the project wrote, by its log or otherwise. */
  | { kind: 'functionLogged'; function: string; severity: string; text: string }
  /** A document was rendered with warnings, such as a character that no font has. */
  | {
      kind: 'documentDoubtful'
      code: string
      entity: string
      id: number
      doubts: readonly string[]
    }
  /** A rendering process was killed because of a template, or ended by itself. */
  | { kind: 'documentEnded'; code: string; reason: string; text: string }
  /** Spans did not reach the collector; reported once until they do again. */
  | { kind: 'traceExportFailed'; error: unknown }
  | { kind: 'databaseConnectionLost'; error: unknown }
  /** Another server answers what the replica did, until it is back. */
  | { kind: 'replicaAway'; replica: string; reason: string }
  | { kind: 'replicaBack'; replica: string }
  /** Connections of a pool in another thread: all, idle, and how many requests wait for one. */
  | {
      kind: 'connectionsCounted'
      pool: string
      totalCount: number
      idleCount: number
      waitingCount: number
      /** How long work has waited for a connection, in all. */
      waitedMs: number
    }
  /** A start waits for its database, at most for so many seconds. */
  | { kind: 'databaseAwaited'; seconds: number; reason: string }
  | { kind: 'callerCacheCleared'; reason: string }
  | { kind: 'notificationPushDelayed'; reason: string }
  /** Queued deliveries are found once a second instead of immediately. */
  | { kind: 'deliveryWakeUpDelayed'; channel: string; reason: string }
  /** `waitedMs`: from the time when it was due to its first attempt; absent of later attempts. */
  | { kind: 'jobDone'; jobId: string; task: string; ms: number; waitedMs?: number }
  | JobTrouble
  | { kind: 'workerStarted'; workerId: string; atOnce: number; tasks: readonly string[] }
  | { kind: 'workerStopped'; workerId: string; unfinished: number }
  | { kind: 'workerInterrupted'; error: unknown }
  | { kind: 'workerRecovered'; jobs: number }

/** A failed attempt; the job is retried, or dead after the last one. */
type JobTrouble = {
  readonly kind: 'jobFailed' | 'jobDead'
  readonly jobId: string
  readonly task: string
  readonly attempt: number
  readonly of: number
  readonly error: unknown
}

export type ObservationKind = Observation['kind']

/** Reports one event; every part that has events to report gets one. */
export type Observe = (observation: Observation) => void

/** Passes events on to all subscribers: the log, the metrics, the health check. */
export type ObservationHub = {
  readonly observe: Observe
  /** Receives the events from now on. */
  readonly subscribe: (observe: Observe) => void
}

/** The hub of a process; created first, so that every part reports to it. */
export const createObservationHub = (...subscribers: Observe[]): ObservationHub => ({
  observe: (observation) => {
    for (const observe of subscribers) observe(observation)
  },
  subscribe: (observe) => void subscribers.push(observe),
})

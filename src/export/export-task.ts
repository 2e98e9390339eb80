/**
 * What passes between the main thread and those that run exports: the order and what is sent for it.
 * All of it is plain data, for nothing else can go from thread to thread.
 */
import type { MessagePort } from 'node:worker_threads'
import type { Statement } from '../database/sql.ts'
import type { PlainError } from '../processes/plain-error.ts'
import type { StopRequest } from '../processes/service-thread.ts'
import type { SheetHead } from './export-format.ts'

/** Asks whether texts are too long for a cell; the answer has a boolean per path, `v0`, `v1` …. */
export type LengthCheck = {
  readonly statement: Statement
  readonly paths: readonly string[]
  readonly longest: number
}

/** An export that is ready to run. */
export type ExportTask = {
  readonly copy: string
  readonly check: LengthCheck | undefined
  /** Name of the format. */
  readonly format: string
  readonly head: SheetHead
  /** Name of the encoding. */
  readonly encoding: string | undefined
  readonly withDigest: boolean
}

/** Some bytes of the answer: the first `length` of the buffer, which is given back when written. */
export type Chunk = {
  readonly kind: 'chunk'
  readonly buffer: ArrayBuffer
  readonly length: number
  /** Rows handed on so far; some may still be on their way through the compression. */
  readonly rows: number
}

/** What was sent in all; `digest` is the SHA-256 of the bytes as sent, in base64. */
export type Sent = {
  readonly kind: 'sent'
  readonly rows: number
  readonly digest: string | undefined
}

/** What a thread posts for one export, on a channel of its own: chunks, then how it ended. */
export type ExportMessage = Chunk | Sent | { readonly kind: 'failed'; readonly error: PlainError }

/** Connections of a pool: all, idle, and exports that wait for one. */
export type ConnectionCounts = {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** What the main thread posts to a thread. The channel's end means that nobody waits any more. */
export type ThreadRequest =
  | { readonly kind: 'run'; readonly order: ExportTask; readonly port: MessagePort }
  | StopRequest

/** What a thread posts about itself. */
export type ThreadReport =
  | { readonly kind: 'connections'; readonly counts: ConnectionCounts }
  | { readonly kind: 'connectionLost'; readonly error: PlainError }

/** Limits of every export, in seconds. */
export type ExportLimits = {
  /** Its longest time. */
  readonly timeoutSeconds: number
  /** The longest time in which its reader takes no 256 KiB. */
  readonly stallSeconds: number
}

/** What a thread is started with: its database, and how many exports it runs side by side. */
export type ThreadSettings = ExportLimits & {
  readonly connectionString: string
  readonly slots: number
}

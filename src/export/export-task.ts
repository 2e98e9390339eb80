/**
 * Messages between the main thread and the threads that run exports: the task, and what is sent for it.
 * They are plain data, because only that can be posted between threads.
 */
import type { MessagePort } from 'node:worker_threads'
import type { Position } from '../database/replicas/position.ts'
import type { ReplicaAddress } from '../database/replicas/replica.ts'
import type { Sql } from '../database/sql.ts'
import type { ErrorCode } from '../error-kinds.ts'
import type { PlainError } from '../processes/plain-error.ts'
import type { StopRequest } from '../processes/service-thread.ts'
import type { SheetMeta } from './export-format.ts'

/** Asks for values that the file cannot have; the answer has a text per path, `v0`, `v1` …, or null if there is none. */
export type ValueCheck = {
  readonly statement: Sql
  readonly paths: readonly string[]
  readonly code: ErrorCode
  /** The error, before and after the paths. */
  readonly says: readonly [before: string, after: string]
}

/** A COPY of a select that may be limited to a part of its rows. */
export type CopyPlan = {
  /** The select, before and after a condition. */
  readonly select: readonly [before: string, after: string]
  /** How COPY writes the rows. */
  readonly options: string
}

/** The column by whose values an export may be divided into ranges: the first of its order, with an index. */
export type RangeKey = {
  /** Quoted, as everything here. */
  readonly table: string
  readonly column: string
  readonly cast: string
  readonly isDescending: boolean
  readonly mayBeNull: boolean
  /** Whether the index lacks removed records. */
  readonly isPartial: boolean
}

export type ExportTask = {
  readonly copy: CopyPlan
  /** Undefined: it is always one range. */
  readonly rangeKey: RangeKey | undefined
  readonly check: ValueCheck | undefined
  readonly format: string
  readonly meta: SheetMeta
  readonly encoding: string | undefined
  readonly withDigest: boolean
}

/** Some bytes of the answer: the first `length` of the buffer, which is returned after it was written. */
export type Chunk = {
  readonly kind: 'chunk'
  readonly buffer: ArrayBuffer
  readonly length: number
  /** Rows read so far; the compressor may still hold some of them. */
  readonly rows: number
}

/** What was sent in all. The digests are SHA-256 in base64. */
export type Sent = {
  readonly kind: 'sent'
  readonly rows: number
  /** Of the bytes as sent. */
  readonly digest: string | undefined
  /** Of the file before compression. */
  readonly fileDigest: string | undefined
}

/** What a thread posts for one export, on a channel of its own: chunks, then how it ended. */
export type ExportMessage = Chunk | Sent | { readonly kind: 'failed'; readonly error: PlainError }

/** Connections of a pool: all, idle, and exports that wait for one. */
export const connectionCounts = ['totalCount', 'idleCount', 'waitingCount'] as const
export type ConnectionCounts = Readonly<Record<(typeof connectionCounts)[number], number>>

/** Where an export may run. */
export type ExportTarget = {
  /** 0 is the primary, and the replicas follow. */
  readonly server: number
  /** What a replica has to have replayed. */
  readonly requires?: Position
  /** Reports that a replica did not answer. */
  readonly leave?: (error: unknown) => void
  /** Calls when a replica is found away; returns how to remove it. */
  readonly onFoundAway?: (listener: (error: Error) => void) => () => void
}

/** Messages from the main thread to a thread. Closing the channel cancels the export. */
export type ThreadRequest =
  | {
      readonly kind: 'run'
      readonly task: ExportTask
      readonly target: Pick<ExportTarget, 'server' | 'requires'>
      readonly port: MessagePort
    }
  | StopRequest

export type ThreadReport =
  | { readonly kind: 'connections'; readonly counts: ConnectionCounts }
  | { readonly kind: 'connectionLost'; readonly error: PlainError }

/** Limits of every export, in seconds. */
export type ExportLimits = {
  readonly timeoutSeconds: number
  /** Maximum time in which the reader accepts less than 256 KiB. */
  readonly stallSeconds: number
}

/** How many connections the exports of a thread may take. */
export type ThreadShare = {
  /** Maximum exports at once. */
  readonly slots: number
  /** Maximum exports at once that take several connections; with more, each continues with one. */
  readonly dividedAtOnce: number
  /** Maximum connections of one export. */
  readonly connectionsEach: number
}

export type ThreadSettings = ExportLimits &
  ThreadShare & {
    /** The primary, and then the replicas. */
    readonly servers: readonly ReplicaAddress[]
    /** The running exports of all threads: a counter that they share. */
    readonly running: Int32Array<SharedArrayBuffer>
    /** Maximum exports at once in all threads that take several connections. */
    readonly dividedInAll: number
  }

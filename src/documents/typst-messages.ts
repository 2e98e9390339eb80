/** What passes between the service, a process that prints, and the thread in it. It is plain data. */
import type { Diagnostic, EngineFaultReason } from './engine.ts'

export type PrintFile = { readonly path: string; readonly bytes: Uint8Array }

export type PrintOrder = {
  readonly main: string
  readonly source: string | undefined
  /** The whole folder, when it is another than at the last order. */
  readonly files: readonly PrintFile[] | undefined
  readonly json: string
  readonly locale: string
  /** Seconds since 1970. */
  readonly timestamp: number
}

/** How an order ended; a process that failed ends itself. */
export type PrintEnd =
  | {
      readonly kind: 'printed'
      readonly pdf: Uint8Array
      readonly pages: number
      readonly diagnostics: readonly Diagnostic[]
      readonly residentBytes: number
    }
  | {
      readonly kind: 'refused'
      readonly diagnostics: readonly Diagnostic[]
      readonly residentBytes: number
    }
  | { readonly kind: 'failed'; readonly reason: EngineFaultReason; readonly text: string }

export type PrintLimits = { readonly timeoutMs: number; readonly memoryBytes: number }

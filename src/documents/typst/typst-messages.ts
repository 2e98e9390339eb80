/** Messages between the service and the rendering thread: plain data. */
import type { RenderErrorReason, Rendered } from './engine.ts'

export type PrintFile = { readonly path: string; readonly bytes: Uint8Array }

export type RenderRequest = {
  readonly main: string
  readonly source: string | undefined
  /** All files, when they differ from those of the last request. */
  readonly files: readonly PrintFile[] | undefined
  readonly json: string
  readonly locale: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly withPicture: boolean
  readonly withMarks: boolean
  readonly timeoutMs: number
}

export type RenderResult =
  | Rendered
  | { readonly failure: { readonly reason: RenderErrorReason; readonly text: string } }

/**
 * The interface of an engine that renders PDFs: takes a template and data, returns a PDF or diagnostics for
 * the author. The rest of the folder uses only this, so that another engine can be added.
 */

import type { UnprintedScript } from './unprinted.ts'
import type { Mark } from './wrapper.ts'

/** The files of a template folder by path; the same object as long as none has changed. */
export type TemplateFiles = ReadonlyMap<string, Uint8Array>

export type Template = {
  /** Path of the template among its files, or a name for the given source. */
  readonly main: string
  /** The template's text, when it is not a file. */
  readonly source?: string
  /** Every file that it may read. */
  readonly files: TemplateFiles
}

export type TemplateData = {
  /** What the template reads: the text of one JSON object. */
  readonly json: string
  /** A BCP 47 tag, for hyphens, quotes and the direction of the text. */
  readonly locale: string
  readonly generatedAt: Date
  /** Whether its pages are wanted as a picture too. */
  readonly withPicture?: boolean
  /** Whether the places of marks are wanted, which texts of a check have. */
  readonly withMarks?: boolean
}

/** An error or a warning in a template; `line` and `column` count from 1. */
export type Diagnostic = {
  readonly severity: 'error' | 'warning'
  /** Path of the file; undefined when it has no place. */
  readonly file: string | undefined
  readonly line: number
  readonly column: number
  /** Column after its end, on the same line. */
  readonly endColumn: number
  readonly message: string
}

/** A picture has as many pages at most. */
export const maxPicturedPages = 20

export type Rendered =
  | {
      readonly pdf: Uint8Array
      readonly pages: number
      /** SVG of all pages, below each other; only if it was asked for. */
      readonly picture?: string | undefined
      /** Only if they were asked for. */
      readonly marks?: readonly Mark[] | undefined
      /** The scripts in whose place boxes are printed; they are among the diagnostics too. */
      readonly unprinted: readonly UnprintedScript[]
      readonly diagnostics: readonly Diagnostic[]
    }
  | { readonly diagnostics: readonly Diagnostic[] }

export type PdfEngine = {
  /** Throws a RenderError when it ends without a result. */
  readonly render: (template: Template, data: TemplateData) => Promise<Rendered>
  /** Running and waiting renderings fail. */
  readonly close: () => Promise<void>
}

export type RenderErrorReason =
  | 'timed-out'
  | 'out-of-memory'
  | 'crashed'
  | 'not-loaded'
  | 'saturated'
  | 'stopped'

/** A rendering that ended without a result; the message continues the name of the document. */
export class RenderError extends Error {
  override name = 'RenderError'
  readonly reason: RenderErrorReason

  constructor(reason: RenderErrorReason, text: string) {
    super(text)
    this.reason = reason
  }
}

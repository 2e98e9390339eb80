/**
 * What an engine is that makes PDFs: a template and data go in, a PDF or its author's issues come
 * out. The rest of the room knows no more of it, so that another engine can stand beside Typst.
 */

/** The files of a template folder by their paths; the same object as long as none has changed. */
export type TemplateFiles = ReadonlyMap<string, Uint8Array>

export type Template = {
  /** Path of the template among its files, or what to call the source that was given. */
  readonly main: string
  /** The template itself where it is no file. */
  readonly source?: string
  /** All that it may read. */
  readonly files: TemplateFiles
}

export type TemplateData = {
  /** What the template reads: the text of one JSON object. */
  readonly json: string
  /** A BCP 47 tag, for hyphens, quotes and the direction of the text. */
  readonly locale: string
  readonly generatedAt: Date
}

/** A issue in a template, or what is doubtful; `line` and `column` count from 1. */
export type Diagnostic = {
  readonly severity: 'error' | 'warning'
  /** Path of the file; undefined where it has no place. */
  readonly file: string | undefined
  readonly line: number
  readonly column: number
  /** Column behind its end, on the same line. */
  readonly endColumn: number
  readonly message: string
}

export type Rendered =
  | {
      readonly pdf: Uint8Array
      readonly pages: number
      readonly diagnostics: readonly Diagnostic[]
    }
  | { readonly diagnostics: readonly Diagnostic[] }

export type PdfEngine = {
  /** Throws a RenderError when it ended without an answer. */
  readonly render: (template: Template, data: TemplateData) => Promise<Rendered>
  /** Renderings that run or wait fail. */
  readonly close: () => Promise<void>
}

export type RenderErrorReason =
  | 'timed-out'
  | 'out-of-memory'
  | 'crashed'
  | 'not-loaded'
  | 'saturated'
  | 'stopped'

/** A rendering that ended without an answer; the text goes on after the name of the template. */
export class RenderError extends Error {
  override name = 'RenderError'
  readonly reason: RenderErrorReason

  constructor(reason: RenderErrorReason, text: string) {
    super(text)
    this.reason = reason
  }
}

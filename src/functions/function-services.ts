/**
 * What a function may ask of the service. The room gets it from above, offered in the main thread;
 * `exec` meets it as promises, wherever it runs.
 */

/** A wish to export records: query criteria as a search takes them (docs/criteria.md). */
export type EntityExport = {
  readonly entityKey: string
  readonly criteria: unknown
  /** csv, xlsx, ndjson or json; csv when it is undefined. */
  readonly format: string | undefined
}

/** Who answers. `left` is aborted when nobody waits for the answer any more. */
export type OfferedServices = {
  /** The bytes as they come; the next ones are made when they are asked for. */
  readonly exportEntity: (wish: EntityExport, left: AbortSignal) => AsyncIterable<Uint8Array>
  /** The records that criteria match, as the text of one JSON array. */
  readonly findRecords: (entityKey: string, criteria: unknown) => Promise<string>
  /** A printable document, such as a PDF. */
  readonly renderDocument: (
    code: string,
    entityKey: string,
    entityId: number,
  ) => Promise<Uint8Array>
}

/** A record as JSON shows it. */
export type FunctionRecord = { readonly [field: string]: unknown }

/** The services as `exec` finds them in its context. */
export type FunctionServices = {
  readonly entityExport: {
    readonly export: (
      entityKey: string,
      criteria?: unknown,
      options?: { readonly format?: string },
    ) => Promise<Uint8Array>
  }
  readonly records: {
    readonly find: (entityKey: string, criteria?: unknown) => Promise<FunctionRecord[]>
  }
  readonly documents: {
    readonly render: (code: string, entityKey: string, entityId: number) => Promise<Uint8Array>
  }
}

/**
 * The services that a function may call. The main thread provides them; `exec` sees them as promises, in
 * any thread.
 */

/** A request to export records, with query criteria as in a search (docs/criteria.md). */
export type EntityExport = {
  readonly entityKey: string
  readonly criteria: unknown
  /** csv, xlsx, ndjson, json or parquet; csv when it is undefined. */
  readonly format: string | undefined
}

/** Implements the services. `signal` is aborted when nobody waits for the result any more. */
export type OfferedServices = {
  /** The bytes, chunk by chunk; the next chunk is made on demand. */
  readonly exportEntity: (request: EntityExport, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /** The records that criteria match, as the text of one JSON array. */
  readonly findRecords: (entityKey: string, criteria: unknown) => Promise<string>
  /** A printable document, such as a PDF. */
  readonly renderDocument: (
    code: string,
    entityKey: string,
    entityId: number,
  ) => Promise<Uint8Array>
}

/** A record as JSON. */
export type FunctionRecord = { readonly [field: string]: unknown }

/** The services as `exec` gets them in its context. */
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

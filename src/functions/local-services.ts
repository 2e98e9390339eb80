/** The services for a function that runs in the main thread, without a channel. */
import type { FunctionServices, OfferedServices } from './function-services.ts'

/** Ends what still runs when `signal` is aborted. */
export const localServices = (
  { exportEntity, findRecords, renderDocument }: OfferedServices,
  signal: AbortSignal,
): FunctionServices => ({
  entityExport: {
    export: async (entityKey, criteria, options) => {
      const chunks: Uint8Array[] = []
      const request = { entityKey, criteria, format: options?.format }
      for await (const chunk of exportEntity(request, signal)) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
  },
  records: {
    find: async (entityKey, criteria) => JSON.parse(await findRecords(entityKey, criteria)),
  },
  documents: { render: renderDocument },
})

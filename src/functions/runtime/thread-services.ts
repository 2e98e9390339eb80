/** The services for a function in a thread: each is a remote call on the channel of its task. */
import type { MessagePort } from 'node:worker_threads'
import { createRpcClient } from '../../processes/rpc-client.ts'
import type { FunctionServices } from '../function-services.ts'
import type { ServiceName } from './function-messages.ts'

/** Calls on `port` until it is closed. */
export const threadServices = (port: MessagePort): FunctionServices => {
  const client = createRpcClient(port)
  const call = (service: ServiceName, args: readonly unknown[]) => client.call(service, args)
  return {
    entityExport: {
      export: async (entityKey, criteria, options) =>
        bytesOf(await call('entityExport.export', [entityKey, criteria, options?.format])),
    },
    records: {
      find: async (...args) => JSON.parse(String(await call('records.find', args))),
    },
    documents: {
      render: async (...args) => bytesOf(await call('documents.render', args)),
    },
  }
}

// Exactly these bytes: the buffer may hold others.
const bytesOf = (value: string | Uint8Array): Uint8Array =>
  typeof value === 'string'
    ? Buffer.from(value)
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength)

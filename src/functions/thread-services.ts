/** The services for a function in a thread: each call is asked of the service on its channel. */
import type { MessagePort } from 'node:worker_threads'
import type { CallMessage, ServiceMessage, ServiceName } from './function-messages.ts'
import type { FunctionServices } from './function-services.ts'

type Asked = {
  readonly chunks: Uint8Array[]
  readonly resolve: (value: string | Uint8Array | undefined) => void
  readonly reject: (error: Error) => void
}

/** Services that speak on `port` until it is closed. */
export const threadServices = (port: MessagePort): FunctionServices => {
  const asked = new Map<number, Asked>()
  let last = 0
  const post = (message: CallMessage) => port.postMessage(message)
  port.on('message', (message: ServiceMessage) => {
    const one = asked.get(message.id)
    if (!one) return
    if (message.kind === 'chunk') {
      one.chunks.push(message.bytes)
      post({ kind: 'more', id: message.id })
      return
    }
    asked.delete(message.id)
    if (message.kind === 'value') one.resolve(message.value)
    else one.reject(new Error(message.message))
  })
  const ask = (service: ServiceName, words: readonly unknown[]) => {
    const chunks: Uint8Array[] = []
    last += 1
    const id = last
    return new Promise<string | Uint8Array | undefined>((resolve, reject) => {
      // First, for what cannot be posted throws.
      post({ kind: 'ask', id, service, words })
      asked.set(id, { chunks, resolve, reject })
    }).then((value) => value ?? Buffer.concat(chunks))
  }
  return {
    entityExport: {
      export: async (entityKey, criteria, options) =>
        bytesOf(await ask('entityExport.export', [entityKey, criteria, options?.format])),
    },
    records: {
      find: async (...words) => JSON.parse(String(await ask('records.find', words))),
    },
    documents: {
      render: async (...words) => bytesOf(await ask('documents.render', words)),
    },
  }
}

// Exactly the bytes: a buffer may hold others beside them.
const bytesOf = (value: string | Uint8Array): Uint8Array =>
  typeof value === 'string'
    ? Buffer.from(value)
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength)

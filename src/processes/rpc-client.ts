/** Calls methods of the service from the thread of a worker process. */
import type { MessagePort } from 'node:worker_threads'
import type { RpcAnswer, RpcCall, RpcValue, ThreadMessage } from './worker-messages.ts'

type Pending = {
  readonly chunks: Uint8Array[]
  readonly resolve: (value: RpcValue) => void
  readonly reject: (error: Error) => void
}

export type RpcClient = {
  /** The value of the method, or all of its chunks. */
  readonly call: (method: string, args: readonly unknown[]) => Promise<string | Uint8Array>
}

/** Calls on `port` until it is closed. */
export const createRpcClient = (port: MessagePort): RpcClient => {
  const pending = new Map<number, Pending>()
  let lastId = 0
  port.on('message', (answer: RpcAnswer) => {
    const call = pending.get(answer.id)
    if (!call) return
    if (answer.kind === 'chunk') {
      call.chunks.push(answer.bytes)
      port.postMessage({ kind: 'more', id: answer.id } satisfies ThreadMessage<never, never>)
      return
    }
    pending.delete(answer.id)
    if (answer.kind === 'value') call.resolve(answer.value)
    else call.reject(new Error(answer.message))
  })
  return {
    call: async (method, args) => {
      const chunks: Uint8Array[] = []
      lastId += 1
      const id = lastId
      const value = await new Promise<RpcValue>((resolve, reject) => {
        // First, because data that cannot be posted throws here.
        port.postMessage({ kind: 'call', id, method, args } satisfies RpcCall)
        pending.set(id, { chunks, resolve, reject })
      })
      return value ?? Buffer.concat(chunks)
    },
  }
}

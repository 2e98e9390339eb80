/** Makes the data of documents ready to be moved from thread to thread without a copy. */
import { isMarkedAsUntransferable } from 'node:worker_threads'
import type { FunctionDocument } from '../function-context.ts'

type Movable = {
  readonly documents: readonly FunctionDocument[]
  /** To be handed over with the message. */
  readonly buffers: readonly ArrayBuffer[]
}

/** Only what shares its buffer with something else is copied, such as a small Buffer of Node's pool. */
export const toMovable = (documents: readonly FunctionDocument[]): Movable => {
  const buffers = new Set<ArrayBuffer>()
  const made = documents.map((document) => {
    const { buffer } = document.data
    const isOwn = ownsBuffer(document.data) && !buffers.has(buffer as ArrayBuffer)
    const data = isOwn ? document.data : new Uint8Array(document.data)
    buffers.add(data.buffer as ArrayBuffer)
    return { ...document, data }
  })
  return { documents: made, buffers: [...buffers] }
}

const ownsBuffer = ({ buffer, byteLength }: Uint8Array): boolean =>
  buffer instanceof ArrayBuffer &&
  buffer.byteLength === byteLength &&
  !isMarkedAsUntransferable(buffer)

/** Prepares the data of documents to be transferred between threads without a copy. */
import { isMarkedAsUntransferable } from 'node:worker_threads'
import type { FunctionDocument } from '../function-context.ts'

type Movable = {
  readonly documents: readonly FunctionDocument[]
  /** To be transferred with the message. */
  readonly buffers: readonly ArrayBuffer[]
}

/** Copies only data that shares its buffer, such as a small Buffer of Node's pool. */
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

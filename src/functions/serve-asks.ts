/**
 * Answers what a function asks of the services. Bytes of an export go one chunk at a time: the next
 * one is made when the thread has taken the last, so that no whole file is held here.
 */
import type { MessagePort } from 'node:worker_threads'
import { errorText, Fault } from '../errors.ts'
import type { Ask, ServiceMessage, ServiceName } from './function-messages.ts'
import type { OfferedServices } from './function-services.ts'

/** One side of a call's channel, as its messages come in. */
export type AskDesk = {
  readonly ask: (ask: Ask) => void
  readonly more: (id: number) => void
}

type Desk = {
  readonly port: MessagePort
  readonly services: OfferedServices
  readonly left: AbortSignal
  /** Goes on with the export of an ask. */
  readonly takers: Map<number, () => void>
}

// A function that asks for everything at once waits for itself, not the service for it.
const mostAtOnce = 4

/** Answers until `left` is aborted; what is asked beyond a few at once waits its turn. */
export const openAskDesk = (
  port: MessagePort,
  services: OfferedServices,
  left: AbortSignal,
): AskDesk => {
  const desk: Desk = { port, services, left, takers: new Map() }
  const waiting: Ask[] = []
  let running = 0
  const next = () => {
    const ask = running < mostAtOnce && !left.aborted ? waiting.shift() : undefined
    if (!ask) return
    running += 1
    void answer(desk, ask).finally(() => {
      running -= 1
      next()
    })
  }
  left.addEventListener('abort', () => {
    for (const go of desk.takers.values()) go()
  })
  return {
    ask: (ask) => {
      waiting.push(ask)
      next()
    },
    more: (id) => desk.takers.get(id)?.(),
  }
}

const answer = async (desk: Desk, { id, service, words }: Ask): Promise<void> => {
  const post = (message: ServiceMessage, bytes?: Uint8Array) => {
    if (!desk.left.aborted)
      desk.port.postMessage(message, bytes ? [bytes.buffer as ArrayBuffer] : [])
  }
  try {
    const value = await answers[service](desk, id, words)
    if (typeof value !== 'object') return post({ kind: 'value', id, value })
    const bytes = ownBytes(value)
    post({ kind: 'value', id, value: bytes }, bytes)
  } catch (error) {
    post({ kind: 'refused', id, message: `services.${service}: ${refusalText(error)}` })
  }
}

type Answer = (
  desk: Desk,
  id: number,
  words: readonly unknown[],
) => Promise<string | Uint8Array | undefined>

const answers: Readonly<Record<ServiceName, Answer>> = {
  'entityExport.export': async (desk, id, [entityKey, criteria, format]) => {
    const wish = {
      entityKey: textOf(entityKey, 'entityKey'),
      criteria,
      format: format === undefined ? undefined : textOf(format, 'format'),
    }
    for await (const chunk of desk.services.exportEntity(wish, desk.left))
      await sendChunk(desk, id, chunk)
    return undefined
  },
  'records.find': ({ services }, _id, [entityKey, criteria]) =>
    services.findRecords(textOf(entityKey, 'entityKey'), criteria),
  'documents.render': ({ services }, _id, [code, entityKey, entityId]) =>
    services.renderDocument(
      textOf(code, 'code'),
      textOf(entityKey, 'entityKey'),
      idOf(entityId, 'entityId'),
    ),
}

/** Resolves when the thread has taken the chunk, or nobody waits for the rest. */
const sendChunk = async ({ port, left, takers }: Desk, id: number, chunk: Uint8Array) => {
  left.throwIfAborted()
  const { promise, resolve } = Promise.withResolvers<void>()
  takers.set(id, resolve)
  const bytes = ownBytes(chunk)
  port.postMessage({ kind: 'chunk', id, bytes } satisfies ServiceMessage, [
    bytes.buffer as ArrayBuffer,
  ])
  await promise
  takers.delete(id)
  left.throwIfAborted()
}

/** Bytes in a buffer of just their length: what is moved away may be of use to nobody else. */
const ownBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

const textOf = (value: unknown, name: string): string => {
  if (typeof value === 'string') return value
  throw new Error(`${name} must be a string, not ${typeof value}`)
}

const idOf = (value: unknown, name: string): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new Error(`${name} must be a whole number, not ${typeof value}`)
}

/** A fault with every mistake of it. */
const refusalText = (error: unknown): string =>
  error instanceof Fault && error.errors.length > 1
    ? error.errors.map(({ path, message }) => `${path} ${message}`).join('; ')
    : errorText(error)

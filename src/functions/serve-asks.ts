/**
 * Answers what a function asks of the services. Bytes of an export go one chunk at a time: the next
 * one is made when the function has taken the last, so that no whole file is held here.
 */
import { errorText, Fault } from '../errors.ts'
import type { Ask, ServiceMessage, ServiceName } from './function-messages.ts'
import type { OfferedServices } from './function-services.ts'

/** The asks of a call, as they come in. */
export type AskDesk = {
  readonly ask: (ask: Ask) => void
  readonly more: (id: number) => void
}

type Desk = {
  readonly post: (message: ServiceMessage) => void
  readonly services: OfferedServices
  readonly left: AbortSignal
  /** Goes on with the export of an ask. */
  readonly takers: Map<number, () => void>
}

// A function that asks for everything at once waits for itself, not the service for it.
const mostAtOnce = 4

/** Answers until `left` is aborted; what is asked beyond a few at once waits its turn. */
export const openAskDesk = (
  post: (message: ServiceMessage) => void,
  services: OfferedServices,
  left: AbortSignal,
): AskDesk => {
  const desk: Desk = { post, services, left, takers: new Map() }
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
  const post = (message: ServiceMessage) => {
    if (!desk.left.aborted) desk.post(message)
  }
  try {
    post({ kind: 'value', id, value: await answers[service](desk, id, words) })
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

/** Resolves when the function has taken the chunk, or nobody waits for the rest. */
const sendChunk = async ({ post, left, takers }: Desk, id: number, bytes: Uint8Array) => {
  left.throwIfAborted()
  const { promise, resolve } = Promise.withResolvers<void>()
  takers.set(id, resolve)
  post({ kind: 'chunk', id, bytes })
  await promise
  takers.delete(id)
  left.throwIfAborted()
}

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

/**
 * Sends what is due: a number of e-mails at once in this process, and any number of processes beside
 * each other. A delivery is taken by a lease that is renewed while it is sent, so that what a process
 * leaves behind is sent by another.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Listener } from '../../database/listen.ts'
import type { Pool } from '../../database/pool.ts'
import type { Email } from '../../email/email.ts'
import type { EmailProvider } from '../../email/provider.ts'
import { errorText } from '../../errors.ts'
import type { Observe } from '../../observations.ts'
import { DeliveryError, deliveryRetries, pauseAfter } from '../../retry-policy.ts'
import { DocumentsAwaited } from '../attachments/email-attachments.ts'
import { queuedChannel } from '../delivery.ts'
import {
  awaitDocuments,
  markDead,
  markFailed,
  release,
  type TakenDelivery,
  takeDeliveries,
} from '../delivery-store.ts'
import { holdLeases, LeaseLost, type Leases } from './hold-leases.ts'
import { keepTrying } from './keep-trying.ts'
import { createGate } from './limit.ts'
import { createMarker } from './mark-sent.ts'
import { keepPace, NoTurn } from './rate-limit.ts'

export type SenderDeps = {
  readonly pool: Pool
  readonly listener: Listener
  readonly provider: EmailProvider
  /** Makes the e-mail of a delivery; throws a DeliveryError where that cannot be. */
  readonly compose: (delivery: TakenDelivery) => Promise<Email>
  /** E-mails that the provider is given side by side. */
  readonly atOnce: number
  readonly maxTries: number
  /** Undefined: as fast as the provider takes them. */
  readonly maxPerSecond: number | undefined
  readonly observe: Observe
}

export type Sender = {
  /** Takes nothing more; what is being sent gets the grace time. */
  readonly stop: (graceMs: number) => Promise<void>
}

// A provider that says nothing for so long has not taken it.
const patienceMs = 60_000
// While so many are given to the provider, as many again are made or marked.
const ahead = 2
// Retries become due without anybody telling.
const lookEveryMs = 1_000

/** Begins to send. */
export const sendDeliveries = (deps: SenderDeps): Sender => {
  const { listener, atOnce, pool, observe } = deps
  const leases = holdLeases(pool)
  const line: Line = { ...deps, leases, enter: createGate(atOnce), markSent: createMarker(pool) }
  const [stop, cut] = [new AbortController(), new AbortController()]
  const running = new Set<Promise<void>>()
  let wake = Promise.withResolvers<void>()
  const look = () => wake.resolve()
  listener.subscribe({
    channels: { [queuedChannel]: look },
    onListening: look,
    onLost: (reason) => observe({ kind: 'emailWakeUpDelayed', reason }),
  })
  const begin = (delivery: TakenDelivery, turn: Promise<void>) => {
    const sending = sendOne(line, { delivery, turn }, cut.signal).finally(() => {
      leases.end(delivery)
      running.delete(sending)
      look()
    })
    running.add(sending)
  }
  const beginInTurn = async (taken: readonly TakenDelivery[]) => {
    const turn = keepPace(pool, deps.maxPerSecond, stop.signal)
    // It is held, and made, while it waits for its turn; nothing more is taken before.
    for (const delivery of taken) begin(delivery, turn)
    await turn.catch(async (error) => {
      if (!stop.signal.aborted) tellLost(line, 'takeDeliveries', error)
      await pause(lookEveryMs, stop.signal)
    })
  }
  const loop = async () => {
    while (!stop.signal.aborted) {
      wake = Promise.withResolvers()
      // Several by one statement, as long as the provider has enough to do.
      const free = ahead * atOnce - running.size
      const taken = free < atOnce ? [] : await takeNext(line, free)
      if (taken.length > 0) await beginInTurn(taken)
      if (taken.length === 0 || ahead * atOnce - running.size < atOnce)
        await Promise.race([wake.promise, pause(lookEveryMs, stop.signal)])
    }
  }
  const ended = loop()
  return {
    stop: async (graceMs) => {
      stop.abort()
      await ended
      await Promise.race([Promise.all(running), pause(graceMs, AbortSignal.any([]))])
      cut.abort(new Error('The process ends.'))
      await Promise.all([...running, leases.stop()])
      await deps.provider.close()
    },
  }
}

type Line = SenderDeps & {
  readonly leases: Leases
  /** Lets as many to the provider as it is given at once. */
  readonly enter: ReturnType<typeof createGate>
  readonly markSent: (id: number) => Promise<void>
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal, ref: false }).catch(() => undefined)

/** What is due, as many as may be sent now; nothing while the database is away. */
const takeNext = async (line: Line, free: number): Promise<TakenDelivery[]> => {
  const { pool, leases, maxPerSecond } = line
  try {
    const most = maxPerSecond === undefined ? free : 1
    const askedAt = performance.now()
    const taken = await takeDeliveries(pool, most, leases.mayTakeOver())
    for (const one of taken) leases.hold(one, askedAt)
    return taken
  } catch (error) {
    tellLost(line, 'takeDeliveries', error)
    return []
  }
}

const tellLost = ({ leases, observe }: Line, chore: string, error: unknown): void => {
  leases.lost()
  observe({ kind: 'upkeepFailed', chore, error })
}

/** A delivery that is held, and what it waits for before it goes. */
type Held = { readonly delivery: TakenDelivery; readonly turn: Promise<void> }

/** Sends one and marks what came of it, until that is written or the process ends. */
const sendOne = async (deps: Line, held: Held, cut: AbortSignal): Promise<void> => {
  const { write, tell, isOnce = false } = await outcomeOf(deps, held, cut)
  const again = (work: () => Promise<unknown>) =>
    keepTrying(work, cut, (error) => tellLost(deps, 'markDelivery', error))
  try {
    if (isOnce) await again(() => deps.pool.query('SELECT'))
    await (isOnce ? write() : again(write))
    tell()
  } catch {
    // Told already; after the lease it is sent again.
  }
}

type Outcome = {
  readonly write: () => Promise<void>
  readonly tell: () => void
  /** Said twice it would undo what another process has begun since; so it waits for the database first. */
  readonly isOnce?: boolean
}

const outcomeOf = async (deps: Line, held: Held, cut: AbortSignal): Promise<Outcome> => {
  const { pool, provider, observe, markSent, maxTries } = deps
  const { delivery } = held
  const { id, tries } = delivery
  if (tries > maxTries)
    return refusal(deps, delivery, new Error('Those who were to send it ended while they did.'))
  const failure = await trySending(deps, held, cut)
  if (failure === undefined)
    return {
      write: () => markSent(id),
      tell: () => observe({ kind: 'emailSent', delivery: id, provider: provider.name, tries }),
    }
  const { error } = failure
  if (error instanceof DocumentsAwaited)
    return {
      write: () => awaitDocuments(pool, delivery, error.audience),
      tell: () => undefined,
      isOnce: true,
    }
  const isUnbegun = error instanceof NoTurn || (error instanceof LeaseLost && !failure.isBegun)
  const isLeft = cut.aborted || isUnbegun
  if (!isLeft) return refusal(deps, delivery, error)
  const write = failure.isBegun ? async () => undefined : () => release(pool, delivery)
  return { write, tell: () => undefined, isOnce: true }
}

/** One that has not begun was not given to the provider. */
type Failure = { readonly error: unknown; readonly isBegun: boolean }

const trySending = async (
  { compose, provider, enter, leases }: Line,
  { delivery, turn }: Held,
  cut: AbortSignal,
): Promise<Failure | undefined> => {
  const lost = leases.signalOf(delivery)
  let isBegun = false
  try {
    const [email] = await Promise.all([compose(delivery), turn])
    await enter(async () => {
      const signal = AbortSignal.any([cut, lost, AbortSignal.timeout(patienceMs)])
      if (delivery.tries > 1 && (await wasTaken(provider, email, signal))) return
      if (!(await leases.isOwn(delivery))) throw new LeaseLost()
      // It may have waited until the process ends.
      cut.throwIfAborted()
      isBegun = true
      await provider.send(email, signal)
    })
    return undefined
  } catch (error) {
    return { error: isBegun && lost.aborted ? lost.reason : error, isBegun }
  }
}

/** Whether an earlier try, of which no answer came, has arrived; where that cannot be known, it has not. */
const wasTaken = async (
  { hasTaken }: EmailProvider,
  { messageId }: Email,
  signal: AbortSignal,
): Promise<boolean> => (await hasTaken?.(messageId, signal).catch(() => false)) ?? false

const refusal = (
  { pool, provider, maxTries, observe }: SenderDeps,
  delivery: TakenDelivery,
  error: unknown,
): Outcome => {
  const { id, tries } = delivery
  // One line: servers like to answer in several.
  const text = errorText(error)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .slice(0, 1000)
  const fault = error instanceof DeliveryError ? error : undefined
  const isDead = fault?.retryable === false || tries >= maxTries
  const pauseMs = Math.max(fault?.retryAfterMs ?? 0, pauseAfter(deliveryRetries, tries))
  const kind = isDead ? 'emailDead' : 'emailFailed'
  return {
    write: () =>
      isDead
        ? markDead(pool, delivery, text)
        : markFailed(pool, delivery, { error: text, pauseMs }),
    tell: () =>
      observe({ kind, delivery: id, provider: provider.name, tries, of: maxTries, error }),
  }
}

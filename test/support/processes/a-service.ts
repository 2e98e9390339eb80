/** `docket start` in a process of its own, as a user starts it: on the project's own database unless one is given. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type Outcome, outcomeOf, spawnDocket, waitFor } from '../docket.ts'
import { askAs } from '../docket-process.ts'
import { until } from '../wait.ts'

export type StartedService = {
  readonly child: ChildProcess
  readonly ended: Promise<Outcome>
  readonly base: string
  /** What it has printed until it was up. */
  readonly shown: string
}

/** Starts it on a free port, and waits until its output matches. */
export const startUp = async (
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  pattern = /is up at \S+\s/,
): Promise<StartedService> => {
  const child = spawnDocket(['start', ...args], { PORT: '0', ...environment })
  const ended = outcomeOf(child)
  const shown = await waitFor(child, pattern)
  return { child, ended, base: addressIn(shown), shown }
}

/** The address that a start prints. */
export const addressIn = (shown: string): string => /is up at (\S+)/.exec(shown)?.[1] ?? ''

/** Sends requests to a service with a token. */
export const asking =
  (base: string, token: string) => (method: string, path: string, body?: object) =>
    askAs(token, method, `${base}${path}`, body)

/** Ends it with a signal, and asserts that it stops in order. Returns its log. */
export const endWell = async (
  { child, ended }: Pick<StartedService, 'child' | 'ended'>,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<string> => {
  child.kill(signal)
  const { code, err } = await ended
  assert.equal(code, 0, err)
  return err
}

/** Lets a process do jobs until something is so, and ends it. */
export const workUntil = async (
  environment: Readonly<Record<string, string>>,
  what: string,
  isDone: () => Promise<boolean>,
): Promise<void> => {
  const child = spawnDocket(['worker'], environment)
  const worker = { child, ended: outcomeOf(child) }
  await waitFor(child, /run here/)
  await until(what, isDone)
  await endWell(worker)
}

/** Ends it while it waits for a request, which does not end, by a second signal; asserts that it does not wait for it. */
export const endByLaterSignal = async ({
  child,
  ended,
  base,
}: Pick<StartedService, 'child' | 'ended' | 'base'>): Promise<void> => {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write('GET /api/health/live HTTP/1.1\r\nHost: ')
  // It has been read when a later one is answered.
  assert.equal((await fetch(`${base}/api/health/live`)).status, 200)
  const stopping = waitFor(child, /serviceStopping/)
  child.kill('SIGTERM')
  await stopping
  // An earlier one would be taken for the same signal.
  await delay(1_300)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 1)
  socket.destroy()
}

type SignedIn = { readonly user_id: number; readonly may_switch: boolean }

/** Signs in as the console does, and returns the session. */
export const signIn = async (base: string, code: string): Promise<SignedIn> => {
  const headers = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' }
  const path = `${base}/console/-/session`
  const started = await fetch(path, { method: 'POST', headers, body: JSON.stringify({ code }) })
  assert.equal(started.status, 200, await started.text())
  const Cookie = (started.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  return (await (await fetch(path, { headers: { ...headers, Cookie } })).json()) as SignedIn
}

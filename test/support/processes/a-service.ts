/** `docket start` in a process of its own, as a user starts it: on the project's own database unless one is given. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { type Outcome, outcomeOf, spawnDocket, waitFor } from '../docket.ts'

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
  until = /is up at \S+\s/,
): Promise<StartedService> => {
  const child = spawnDocket(['start', ...args], { PORT: '0', ...environment })
  const ended = outcomeOf(child)
  const shown = await waitFor(child, until)
  return { child, ended, base: addressIn(shown), shown }
}

/** The address that a start prints. */
export const addressIn = (shown: string): string => /is up at (\S+)/.exec(shown)?.[1] ?? ''

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

/** Runs the fuzzer against its own service and collects the findings. */
import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createApiKey } from '../../../src/auth/callers/api-keys.ts'
import { type ApiDocument, readApiDocument } from '../api-document.ts'
import { administrator, type DocketProcess, startDocket } from '../docket-process.ts'
import { within } from '../wait.ts'
import type { Seen } from '../watch-process.ts'
import { addDocument, fieldNames, fuzzFiles, fuzzUsers, resetRecords } from './fuzz-project.ts'
import { makeRequest } from './make-request.ts'
import { createMemory } from './memory.ts'
import { createRandom } from './random.ts'
import { type Answer, curlLine, type Request, sendRequest } from './request.ts'

export type FuzzOptions = {
  readonly seed: number
  readonly requests: number
  readonly minutes?: number | undefined
  /** The number of concurrent requests; with 1, a run can be repeated exactly. */
  readonly concurrency: number
  readonly note: (line: string) => void
}

export type Finding = {
  /** The operation and the issue, such as `the status 418`. */
  readonly what: string
  times: number
  /** The first request that showed the issue, as a shell command. */
  readonly line: string
  /** The response. */
  answer: string
}

export type FuzzReport = {
  readonly seed: number
  readonly requests: number
  readonly seconds: number
  readonly statuses: Readonly<Record<number, number>>
  readonly findings: readonly Finding[]
  readonly longestMs: number
  /** The longest time that the thread of the service was blocked. */
  readonly computedMs: number
  /** The memory of the process after a fifth of the requests, and at the end. */
  readonly residentMiB: readonly [early: number, late: number]
  readonly operations: number
}

const requestsPerRound = 4000
const maxFindings = 40
// Memory growth is checked from this number of requests on; the noise is in bytes.
const minRequestsForMemory = 20_000
const maxNoise = 150_000_000

/** Sends requests until their number or the time is reached or the service has ended. */
export const runFuzz = async (options: FuzzOptions): Promise<FuzzReport> => {
  const preload = new URL('../watch-process.ts', import.meta.url)
  const environment = {
    LOG_LEVEL: 'error',
    // All requests come from one address.
    REQUESTS_PER_CALLER: '0',
    REQUESTS_PER_ADDRESS: '0',
    WRONG_CREDENTIALS_PER_ADDRESS: '0',
  }
  const docket = await startDocket({ files: fuzzFiles, users: fuzzUsers, environment, preload })
  try {
    await addDocument(docket)
    // Resets the measurement, so that the start does not count.
    await readUsage(docket)
    const { key } = await createApiKey(docket.pool, { userId: docket.idOf('otto'), name: 'fuzz' })
    const document = readApiDocument(
      (await docket.ask(administrator, 'GET', '/api/openapi.json')).text,
    )
    return await fuzz(docket, document, key, options)
  } finally {
    await docket.stop()
  }
}

const fuzz = async (
  docket: DocketProcess,
  document: ApiDocument,
  apiKey: string,
  { seed, requests, minutes, concurrency, note }: FuzzOptions,
): Promise<FuzzReport> => {
  const memory = createMemory(fieldNames)
  const callers = [administrator, ...Object.keys(fuzzUsers), 'key', 'forged', 'anonymous']
  const findings = new Map<string, Finding>()
  const statuses: Record<number, number> = {}
  const startedAt = performance.now()
  const endAt = startedAt + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
  let [sent, longestMs, computedMs, early, late] = [0, 0, 0, 0, 0]
  const authorizationOf = (caller: string): string | undefined => {
    if (caller === 'anonymous') return undefined
    if (caller === 'key') return `Bearer ${apiKey}`
    const token = docket.tokenOf(caller === 'forged' ? administrator : caller)
    return `Bearer ${caller === 'forged' ? token.slice(0, -8) : token}`
  }
  const ask = (request: Request) =>
    sendRequest(
      docket.url,
      request.headers.Authorization ?? authorizationOf(request.caller),
      request,
    )

  const report = (request: Request, answer: Answer, issue: string): void => {
    const { method, operation, target } = request
    const path = operation?.path ?? target.slice(0, 60)
    const what = `${method} ${path}: ${issue}`
    const known = findings.get(what.replaceAll(/\d+/g, 'N'))
    if (known) return void known.times++
    if (findings.size >= maxFindings) return
    const finding = {
      what,
      times: 1,
      line: curlLine(docket.url, request),
      answer: answer.text.slice(0, 600),
    }
    findings.set(what.replaceAll(/\d+/g, 'N'), finding)
    if (answer.status >= 500) finding.answer += `\n${docket.printed().slice(-2000)}`
    note(`FOUND ${what}\n${finding.line}\n${finding.answer}\n`)
  }

  const latest: Request[] = []
  const sendOne = async (request: Request): Promise<void> => {
    if (latest.push(request) > concurrency + 1) latest.shift()
    const answer = await ask(request)
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    longestMs = Math.max(longestMs, answer.tookMs)
    if (answer.etag !== undefined) memory.keep('etag', answer.etag)
    if (
      answer.status < 300 &&
      answer.text !== '' &&
      answer.text.length < 20_000 &&
      answer.type.startsWith('application/json')
    )
      memory.learn(JSON.parse(answer.text))
    const issue = findIssue(document, request, answer)
    if (issue !== undefined && !hasEnded(docket)) report(request, answer, issue)
  }

  const isOver = () => sent >= requests || performance.now() > endAt || hasEnded(docket)
  const maker = { memory, callers, resolve: document.resolve, operations: document.operations }
  for (let round = 0; !isOver(); round++) {
    await resetRecords(docket)
    await removeMails(docket)
    const until = Math.min(requests, sent + requestsPerRound)
    const sendInTurn = async (number: number) => {
      const random = createRandom(seed + 7919 * round + 104_729 * number)
      while (sent < until && !isOver()) {
        sent++
        await sendOne(makeRequest({ ...maker, random }))
      }
    }
    await Promise.all(Array.from({ length: concurrency }, (_, number) => sendInTurn(number)))
    if (hasEnded(docket)) break
    const seen = await readUsage(docket)
    computedMs = Math.max(computedMs, seen.computedMs)
    late = seen.residentBytes
    if (early === 0 && sent >= requests / 5) early = late
    const rate = Math.round(sent / ((performance.now() - startedAt) / 1000))
    note(
      `${sent} requests, ${rate} a second, ${Math.round(late / 1_048_576)} MiB, ${shownStatuses(statuses)}, ${findings.size} found`,
    )
  }
  if (hasEnded(docket))
    findings.set('end', {
      what: 'the service ended',
      times: 1,
      line: latest.map((request) => curlLine(docket.url, request)).join('\n'),
      answer: docket.printed().slice(-2000),
    })
  if (sent >= minRequestsForMemory && late > 1.5 * early + maxNoise)
    findings.set('memory', {
      what: 'the memory of the service grows',
      times: 1,
      line: '',
      answer: `${early} bytes after a fifth of the requests, ${late} at the end`,
    })
  return {
    seed,
    requests: sent,
    statuses,
    longestMs,
    computedMs,
    findings: [...findings.values()],
    seconds: (performance.now() - startedAt) / 1000,
    residentMiB: [Math.round(early / 1_048_576), Math.round(late / 1_048_576)],
    operations: document.operations.length,
  }
}

/** The issue of a response; undefined for a correct one. */
const findIssue = (document: ApiDocument, request: Request, answer: Answer): string | undefined => {
  if (answer.status === 0) return `no response (${answer.text.slice(0, 80)})`
  if (answer.status >= 500 && answer.status !== 503) return `the status ${answer.status}`
  if (/node_modules|\bat \S+ \(\S+:\d+:\d+\)/.test(answer.status >= 400 ? answer.text : ''))
    return 'a stack trace'
  const { operation, headers } = request
  if (!operation || answer.isEncoded) return undefined
  const hasUnexpectedBody =
    operation.body === undefined && (request.body || headers['Content-Type'])
  if (hasUnexpectedBody && [400, 413, 415].includes(answer.status)) return undefined
  return document.undocumented(operation, answer)
}

const hasEnded = ({ child }: DocketProcess) => child.exitCode !== null || child.signalCode !== null

const readUsage = async ({ child }: DocketProcess): Promise<Seen> => {
  const answer = once(child, 'message')
  child.send('seen')
  const [seen] = await within('the service reports its usage', answer)
  return seen as Seen
}

const removeMails = async ({ directory }: DocketProcess): Promise<void> => {
  const mail = join(directory, '.docket', 'mail')
  for (const name of await readdir(mail).catch(() => []))
    await rm(join(mail, name), { force: true, recursive: true })
}

/** Statuses with their counts, in one line. */
export const shownStatuses = (statuses: Readonly<Record<number, number>>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')

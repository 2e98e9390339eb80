/** What a sign-in costs, and whether people who guess passwords get in or hold others up. */
import { readFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { hashPassword } from '../src/auth/passwords/password-rules.ts'
import type { Environment, Service } from './environment.ts'
import { median, percentile, timed } from './figures.ts'
import { fill, insertUsers } from './fill.ts'
import { openClient } from './http-client.ts'
import { aimOf, note, type Row, type Table } from './report.ts'
import { prepareCodes, preparePasskeys } from './sign-in-ways.ts'

const users = 50
const password = 'seven green lamps at noon'
const nameOf = (number: number): string => `guessed-${number}@example.com`

/** Users who have the same password, and thousands of records that others read meanwhile. */
const prepare = async (environment: Environment, rows: number): Promise<void> => {
  await fill(environment, `${users} users`, [
    insertUsers('guessed-', users),
    `INSERT INTO docket.password (user_id, hash)
     SELECT id, '${await hashPassword(password)}' FROM records."user" WHERE username LIKE 'guessed-%'`,
    `INSERT INTO records.customer (name) SELECT 'Customer ' || n FROM generate_series(1, ${rows}) n`,
    insertUsers('coded-', users),
    insertUsers('keyed-', users),
    'VACUUM (ANALYZE) records.customer, records."user"',
  ])
}

type Attempt = { readonly name: string; readonly password: string; readonly address: string }
type Answer = { readonly status: number; readonly cookies: string }

/** Signs in as a page of the console does, from an address that a proxy names. */
const createSignIn = ({ url }: Service) => {
  const { hostname, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  return ({ name, password: given, address }: Attempt, cookie = ''): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const path = '/console/-/session/password'
      const headers = {
        'Content-Type': 'application/json',
        'Sec-Fetch-Site': 'same-origin',
        'X-Forwarded-For': address,
        ...(cookie && { Cookie: cookie }),
      }
      const sent = request({ agent, hostname, port, path, method: 'POST', headers }, (answer) => {
        const cookies = (answer.headers['set-cookie'] ?? []).map((one) => one.split(';')[0])
        answer.resume()
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, cookies: cookies.join('; ') }),
        )
        answer.on('error', reject)
      })
      sent.on('error', reject)
      sent.end(JSON.stringify({ name, password: given }))
    })
}

type SignIn = ReturnType<typeof createSignIn>

/** Seconds of processor time that a process has used; NaN where the system does not say it. */
const processorSeconds = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  // Of user and system, in hundredths (proc(5), "utime" and "stime").
  return (Number(fields[11]) + Number(fields[12])) / 100
}

// The first ones load and compile what they need.
const warmUps = 10

type Way = {
  readonly way: string
  readonly aim: Parameters<typeof aimOf>[1]
  /** Signs a user in, by number; the status of the answer. */
  readonly signIn: (number: number) => Promise<number>
}

/** Sign-ins of all users, one after the other: elapsed time, and processor time of the service. */
const measureCost = async ({ pid }: Service, { way, aim, signIn }: Way): Promise<Row> => {
  const samples: number[] = []
  let before = 0
  for (let number = 1; number <= users; number++) {
    if (number === warmUps + 1) before = await processorSeconds(pid)
    samples.push(
      await timed(async () => {
        const status = await signIn(number)
        if (status !== 201 && status !== 200)
          throw new Error(`A sign-in by ${way} was answered ${status}.`)
      }),
    )
  }
  const processor = (((await processorSeconds(pid)) - before) * 1000) / (users - warmUps)
  return {
    way,
    'ms, p50': median(samples.slice(warmUps)),
    'processor ms': processor,
    ...aimOf(processor, aim),
  }
}

const guesses = 20_000
const addresses = 500
const atOnce = 50
// At the rate at which they are answered they would measure this program as well, which shares the processors.
const guessesPerSecond = 200
const readsPerSecond = 50

/** Reads of somebody else at a rate, until `isDone`: how long each took. */
const readUntil = async (service: Service, isDone: () => boolean): Promise<readonly number[]> => {
  const send = openClient(service)
  const samples: number[] = []
  const sent: Promise<void>[] = []
  const begun = performance.now()
  while (!isDone()) {
    while (sent.length < ((performance.now() - begun) / 1000) * readsPerSecond)
      sent.push(
        timed(() => send({ path: `/customer/${1 + (sent.length % 1000)}` })).then(
          (ms) => void samples.push(ms),
        ),
      )
    await delay(2)
  }
  await Promise.all(sent)
  return samples
}

/** Guesses of the passwords of all users, and of names that nobody has; how many had each status. */
const guess = async (signIn: SignIn): Promise<ReadonlyMap<number, number>> => {
  const statuses = new Map<number, number>()
  const begun = performance.now()
  let next = 0
  const guessOn = async () => {
    while (next < guesses) {
      const number = next++
      await delay(Math.max(0, begun + (number * 1000) / guessesPerSecond - performance.now()))
      const address = `198.18.${Math.floor((number % addresses) / 250)}.${1 + (number % 250)}`
      const name = number % 4 === 0 ? `nobody-${number}@example.com` : nameOf(1 + (number % users))
      const { status } = await signIn({ name, password: `wrong guess ${number}`, address })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, guessOn))
  return statuses
}

const idleMs = 20_000

const compareWithGuesses = async (service: Service, signIn: SignIn): Promise<Table[]> => {
  const victim = { name: nameOf(1), password, address: '203.0.113.1' }
  const { cookies } = await signIn(victim)
  const end = performance.now() + idleMs
  await readUntil(service, () => performance.now() > end - idleMs / 2)
  const idle = await readUntil(service, () => performance.now() > end)
  note(`${guesses.toLocaleString('en')} guesses ...\n`)
  let isDone = false
  const begun = performance.now()
  const guessing = guess(signIn).finally(() => {
    isDone = true
  })
  const beside = await readUntil(service, () => isDone)
  const statuses = await guessing
  const seconds = (performance.now() - begun) / 1000
  const got = [...statuses].reduce((sum, [status, count]) => sum + (status < 300 ? count : 0), 0)
  const known = (await signIn(victim, cookies)).status
  const [quiet, busy] = [percentile(idle, 99), percentile(beside, 99)]
  return [
    {
      title: `${guesses.toLocaleString('en')} guesses from ${addresses} addresses, ${Math.round(guesses / seconds)} a second`,
      rows: [
        ...[...statuses].toSorted().map(([status, count]) => ({ answer: String(status), count })),
        { answer: 'signed in', count: got, ...aimOf(got, { most: 0 }) },
        { answer: 'the user in a known browser', count: known },
      ],
    },
    {
      title: `Reads of another user, ${readsPerSecond} a second`,
      rows: [
        { what: 'without guesses', p50: median(idle), p99: quiet },
        {
          what: 'beside them',
          p50: median(beside),
          p99: busy,
          ratio: busy / quiet,
          ...aimOf(busy / quiet, { most: 2 }),
        },
      ],
    },
  ]
}

export const benchSignIn = async (
  environment: Environment,
  rows: number,
): Promise<readonly Table[]> => {
  await prepare(environment, rows)
  const service = await environment.startService([], {
    TRUST_PROXY: '127.0.0.1',
    SIGN_IN: 'password,code,passkey',
    // Codes are offered where e-mails are sent; here none is.
    EMAIL_PROVIDER: 'smtp',
    EMAIL_FROM: 'docket@example.com',
    SMTP_URL: 'smtp://127.0.0.1:9',
  })
  const signIn = createSignIn(service)
  const ways: readonly Way[] = [
    {
      way: 'password',
      aim: { least: 100, most: 250 },
      signIn: async (number) =>
        (await signIn({ name: nameOf(number), password, address: '192.0.2.1' })).status,
    },
    { way: 'code', aim: { most: 10 }, signIn: await prepareCodes(environment, service, users) },
    {
      way: 'passkey',
      aim: { most: 10 },
      signIn: await preparePasskeys(environment, service, users),
    },
  ]
  const costs: Row[] = []
  for (const way of ways) costs.push(await measureCost(service, way))
  return [
    { title: `${users - warmUps} sign-ins, one after the other`, rows: costs },
    ...(await compareWithGuesses(service, signIn)),
  ]
}

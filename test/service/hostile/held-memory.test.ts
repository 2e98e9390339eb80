/** The memory that requests of one caller may use: bodies being received, and responses that are not read. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createOrder, startProject, users } from '../../support/a-project.ts'
import { openSocket, type RawAnswer, sendRaw } from '../../support/hostile/raw-http.ts'
import { untilWaitingForLock } from '../../support/lock-waits.ts'
import { until } from '../../support/wait.ts'

const service = await startProject()
after(() => service.stop())
await createOrder(service)
const token = await service.tokenOf()

const headOf = (line: string, more = ''): string =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`

const live = 'GET /api/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'

const chunked = (body: string): string =>
  `${headOf('POST /order/search?limit=1', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

describe('bodies without a length', () => {
  /** Sends searches while a transaction locks their table, and unlocks it once `untilEnough` resolves. */
  const searchLockedTable = async (
    send: string,
    count: number,
    untilEnough: (answers: readonly RawAnswer[]) => Promise<unknown>,
  ) => {
    const client = await service.database.pool.connect()
    try {
      await client.query('BEGIN; LOCK TABLE records."order"')
      const answers: RawAnswer[] = []
      const searches = Array.from({ length: count }, async () => {
        answers.push(await sendRaw(service.url, { send, until: 'answered', withinMs: 120_000 }))
      })
      await untilWaitingForLock(service.database.pool)
      await untilEnough(answers)
      await client.query('ROLLBACK')
      await Promise.all(searches)
      return answers
    } finally {
      client.release(true)
    }
  }

  /** These responses come after all earlier requests were admitted or rejected. */
  const untilAdmitted = async () => {
    for (let times = 0; times < 20; times++)
      await sendRaw(service.url, { send: live, until: 'answered' })
  }

  const isBeyondLimit = ({ text }: Pick<RawAnswer, 'text'>) =>
    /You have .*requests with bodies of/.test(text)

  test('count with their actual size: forty concurrent small ones are answered', async () => {
    const answers = await searchLockedTable(chunked('{"$where":{"notes":null}}'), 40, untilAdmitted)
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(40).fill(200),
    )
  })

  const withLength = (body: string) =>
    `${headOf('POST /order/search?limit=1', `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`)}${body}`

  const assertRefused = ({ text }: Pick<RawAnswer, 'text'>) => {
    assert.match(text, /^HTTP\/1.1 503 /)
    assert.match(text, /"code":"request.saturated"/)
    assert.match(text, /\r\nRetry-After: 5\r\n/i)
  }
  const assertAnsweredAgain = async () => {
    const next = await sendRaw(service.url, { send: chunked('{}'), until: 'answered' })
    assert.equal(next.status, 200)
  }
  const blanks = (bytes: number) => `{${' '.repeat(bytes - 2)}}`

  for (const [what, framed] of [
    ['with a length', withLength],
    ['without a length', chunked],
  ] as const)
    test(`count until their requests end: beyond two large ones ${what} a request is a 503 with Retry-After`, async () => {
      const answers = await searchLockedTable(framed(blanks(1_048_577)), 3, (soFar) =>
        until('one is rejected', () => soFar.some(isBeyondLimit)),
      )
      const rejected = answers.filter(isBeyondLimit)
      assert.equal(rejected.length, 1)
      rejected.forEach(assertRefused)
      await assertAnsweredAgain()
    })

  test('count while they are received: beyond sixteen times the largest body a request is a 503 with Retry-After', async () => {
    const unfinished = chunked(blanks(1_048_576)).slice(0, -'0\r\n\r\n'.length)
    const texts = Array<string>(65).fill('')
    const sockets = await Promise.all(texts.map(() => openSocket(service.url)))
    for (const [index, socket] of sockets.entries())
      socket.on('data', (data) => (texts[index] += String(data))).write(unfinished)
    const text = await until('one is rejected', () =>
      texts.find((one) => isBeyondLimit({ text: one })),
    )
    assertRefused({ text })
    for (const socket of sockets) socket.destroy()
    await until('the others are forgotten', async () => {
      const answer = await sendRaw(service.url, { send: chunked('{}'), until: 'answered' })
      return answer.status === 200
    })
  })
})

describe('lists that are not read', () => {
  before(async () => {
    await service.database.pool.query(
      `INSERT INTO records."order" (number, notes)
       SELECT 'AB-' || n, repeat('x', 90000) FROM generate_series(1, 50) n`,
    )
  })

  test('are rejected beyond the limit of a caller until the earlier ones are read or aborted', async () => {
    const list = headOf('GET /order?limit=50')
    const sockets = await Promise.all(Array.from({ length: 6 }, () => openSocket(service.url)))
    for (const socket of sockets) socket.pause().write(list.repeat(8))
    // A busy service rejects some because too many wait for the database.
    const rejected = await until('a list is rejected for what is not read', async () => {
      const answer = await service.ask('GET', '/order?limit=50')
      return answer.headers.get('retry-after') === '5' && answer
    })
    assert.deepEqual([rejected.status, rejected.json().code], [503, 'request.saturated'])
    // Reads and changes of one record are still answered, and so are lists of other callers.
    assert.equal((await service.ask('GET', '/order/1')).status, 200)
    const change = { body: { notes: 'y'.repeat(90_000) } }
    assert.equal((await service.ask('PATCH', '/order/1', change)).status, 200)
    const other = await service.ask('GET', '/order?limit=50', { as: users.buyer })
    assert.equal(other.status, 200)
    for (const socket of sockets) socket.destroy()
    await until('a list is answered again', async () => {
      return (await service.ask('GET', '/order?limit=50')).status === 200
    })
  })
})

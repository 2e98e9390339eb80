/** docs/first-hour.md, followed word for word: its files are written, its commands run, and what it says is seen. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { callDocket } from '../../support/call-docket.ts'
import { splitArgs } from '../../support/curl.ts'
import { askAs } from '../../support/docket-process.ts'
import { endWell, type StartedService, startUp } from '../../support/processes/a-service.ts'
import type { Reply } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/wait.ts'

const root = new URL('../../../', import.meta.url)
const page = readFileSync(new URL('docs/first-hour.md', root), 'utf8')
const PROJECT = join(temporaryFolder(), 'workshop')

/** What stands below the heading of a step. */
const step = (number: number): string =>
  new RegExp(`^## ${number}\\. [\\s\\S]*?(?=^## )`, 'm').exec(page)?.[0] ?? ''

let service: StartedService | undefined

const start = async (): Promise<void> => {
  if (service) await endWell(service)
  service = await startUp({ PROJECT })
}

/** What the lines of a block print. */
const run = async (block: string): Promise<{ readonly printed: string; readonly code: number }> => {
  let last = { printed: '', code: 0 }
  for (const line of block.trim().split('\n')) {
    assert.equal(last.code, 0, last.printed)
    const [name, ...args] = splitArgs(line, { PROJECT })
    assert.equal(name, 'docket')
    if (args[0] === 'start') await start()
    else {
      const { code, out, err } = await callDocket(args, { PROJECT })
      last = { printed: `${out}${err}`, code: code ?? 1 }
    }
  }
  return last
}

/** "adds to" names a file of an earlier step, into whose object the properties go. */
const write = async (name: string, text: string): Promise<void> => {
  const path = join(PROJECT, name.replace(/^adds to /, ''))
  await mkdir(dirname(path), { recursive: true })
  const added = async () => ({
    ...JSON.parse(await readFile(path, 'utf8')),
    ...JSON.parse(`{${text}}`),
  })
  await writeFile(path, name.startsWith('adds to ') ? JSON.stringify(await added()) : text)
}

/** Writes the files of a step and runs its commands, in their order. A command succeeds, or prints what the page shows. */
const follow = async (number: number): Promise<void> => {
  const blocks = step(number).matchAll(
    /(?:<!-- hour ([^>]+) -->\n)?```(\w+)\n([\s\S]*?)```(?:\n\n```text\n([\s\S]*?)```)?/g,
  )
  for (const [, name, language, text = '', shown] of blocks) {
    if (name !== undefined) await write(name, text)
    else {
      assert.equal(language, 'sh')
      const { printed, code } = await run(text)
      if (shown === undefined) assert.equal(code, 0, printed)
      else assert.ok(printed.replaceAll('\r', '').endsWith(shown), printed)
    }
  }
}

const admin = 'admin@example.com'
const marko = 'marko@example.com'

const tokens = new Map<string, string>()

const ask = async (method: string, path: string, body?: object, as = admin): Promise<Reply> => {
  const token =
    tokens.get(as) ?? (await callDocket(['token', '--user', as], { PROJECT })).out.trim()
  tokens.set(as, token)
  return askAs(token, method, `${service?.base}${path}`, body)
}

const jobsOf = async (as: string): Promise<readonly string[]> => {
  const reply = await ask('POST', '/job/search', { $select: ['number'], $orderBy: ['number'] }, as)
  return reply.json(200).data.map(({ number }: { number: string }) => number)
}

/** Makes Marko the mechanic of a job. */
const give = async (path: string): Promise<void> => {
  const { data } = (await ask('POST', '/user/search', { $where: { email: marko } })).json(200)
  const given = await ask('PATCH', path, { mechanic_id: data[0].id })
  assert.equal(given.status, 200, given.text)
}

// One test: a service ends with the test that has started it.
test('the page leads from an empty folder to a business: each step shows what it says', async () => {
  for (const number of [1, 2, 3]) await follow(number)
  const body = { customer_id: 3, bicycle: 'Gravel bike', work: 'inspection', price: '49.00' }
  const job = (await ask('POST', '/job', body)).json(201)
  assert.equal(job.number, 'J-0001')
  assert.ok(job.ready_on > job._created_at.slice(0, 10), job.ready_on)
  await restrictMechanics()
  await importJobs()
  await follow(7)
  await give('/job/4')
  const found = await until('Marko is notified', async () => {
    const [first] = (await ask('GET', '/api/notifications', undefined, marko)).json(200)
    return first
  })
  assert.equal(found.content.title, 'J-0004 is yours')
  assert.match(found.content.message, /^Road bike of Café Zoë, ready on .*2026\.$/)
  await follow(8)
  const sheet = await ask('GET', '/job/4/documents/job-sheet', undefined, marko)
  assert.equal(sheet.headers.get('content-type'), 'application/pdf')
  await follow(9)
})

/** Step 5: Marko sees his job alone and does not change its price, and Clara sees none. */
const restrictMechanics = async (): Promise<void> => {
  await follow(5)
  await start()
  assert.deepEqual(await jobsOf(marko), [])
  await give('/job/1')
  assert.deepEqual(await jobsOf(marko), ['J-0001'])
  assert.equal((await ask('PATCH', '/job/1', { price: '1.00' }, marko)).status, 400)
  assert.equal((await ask('POST', '/job/search', {}, 'clara@example.com')).status, 404)
}

/** Step 6: the faulty row is corrected, ten jobs come, and four of them are of Marko. */
const importJobs = async (): Promise<void> => {
  await follow(6)
  const [{ id }] = (await ask('GET', '/api/imports')).json(200).data
  const stateOf = async () => (await ask('GET', `/api/imports/${id}`)).json(200).run
  const corrections = [{ row: 6, column: 'customer.number', text: 'C-0003' }]
  await ask('PATCH', `/api/imports/${id}/rows`, { corrections })
  await until('all rows are checked again', async () => {
    const { state, faulty } = await stateOf()
    return state === 'ready' && faulty === 0
  })
  await ask('POST', `/api/imports/${id}/start`)
  await until('the rows are imported', async () => (await stateOf()).state === 'done')
  assert.equal((await jobsOf(admin)).length, 11)
  assert.equal((await jobsOf(marko)).length, 5)
}

test('what the page prints bold is called so in the console', () => {
  const folder = new URL('console/texts/en/', root)
  const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'))
  const labels = [...page.matchAll(/\*\*(.+?)\*\*/g)].map(([, label = '']) => label)
  assert.ok(labels.length > 5)
  for (const label of labels) assert.ok(texts.join().includes(`'${label}'`), label)
})

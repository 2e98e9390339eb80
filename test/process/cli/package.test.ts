/** The built package does what the sources do: commands, pages, exports, jobs, functions and documents. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { simpleParser } from 'mailparser'
import { buildPackage } from '../../../packaging/built-copy.ts'
import { afterwards } from '../../support/afterwards.ts'
import { endedAfterwards, outcomeOf, waitFor } from '../../support/docket.ts'
import { copyExample } from '../../support/service.ts'
import { until, within } from '../../support/wait.ts'

let folder: string
let project: string
let stop: () => Promise<void>
let base = ''
let token = ''
before(async () => {
  folder = await buildPackage()
  project = await copyExample()
  const child = spawnBuilt(['start', '--port', '0'])
  stop = afterwards(() => endWell(child))
  const shown = await waitFor(child, /is up at \S+/)
  base = /is up at (\S+)/.exec(shown)?.[1] ?? ''
  token = (await runBuilt(['token'])).out.trim()
})
after(async () => {
  await stop()
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})

const endWell = async (child: ChildProcess): Promise<void> => {
  const ended = outcomeOf(child)
  child.kill('SIGTERM')
  const { code, err } = await ended
  assert.equal(code, 0, err)
}

const spawnBuilt = (args: readonly string[]) =>
  endedAfterwards(
    spawn(process.execPath, [join(folder, 'bin/docket.cjs'), ...args, '--project', project], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )

const runBuilt = (args: readonly string[]) =>
  within(`"docket ${args.join(' ')}" ends`, outcomeOf(spawnBuilt(args)), 200)

const ask = (path: string, body?: object) =>
  fetch(`${base}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

test('commands run', async () => {
  const checked = await runBuilt(['check'])
  assert.equal(checked.code, 0, checked.err)
  const doctor = await runBuilt(['doctor'])
  assert.ok(doctor.code === 0 || doctor.code === 1, doctor.err)
  const { out } = await runBuilt(['database-url'])
  assert.match(out, /^postgresql:/)
})

test('the pages of the console and of the API are served', async () => {
  for (const path of ['/console/', '/api/docs', '/api/openapi.json', '/api/health/ready'])
    assert.equal((await ask(path)).status, 200, path)
})

for (const format of ['csv', 'xlsx', 'ndjson', 'parquet'])
  test(`records are exported as ${format}`, async () => {
    const response = await ask(`/purchase_order/export?format=${format}`, {})
    assert.equal(response.status, 200)
    assert.ok((await response.arrayBuffer()).byteLength > 10_000)
  })

test('a decision is told by e-mail, with a PDF, the answer of a function and an export', async () => {
  for (const action of ['submit', 'approve']) {
    const response = await ask('/purchase_order/2999/proceedToStep', { action })
    assert.equal(response.status, 200, await response.text())
  }
  const mail = join(project, '.docket/mail')
  const kindsIn = async (name: string) => {
    const { attachments } = await simpleParser(await readFile(join(mail, name)))
    return attachments.map(({ contentType }) => contentType)
  }
  // Others may be written before, such as that of the submission.
  await until('the e-mail with both attachments has been written', async () => {
    const names = existsSync(mail) ? await readdir(mail) : []
    const kinds = await Promise.all(names.filter((name) => name.endsWith('.eml')).map(kindsIn))
    return kinds.some((one) => one.includes('application/pdf') && one.includes('text/csv'))
  })
})

test('a document is rendered', async () => {
  const response = await ask('/purchase_order/2999/documents/purchase-order')
  const bytes = Buffer.from(await response.arrayBuffer())
  assert.equal(bytes.subarray(0, 5).toString(), '%PDF-')
})

test('the notices of the packages that are part of it are in it', async () => {
  const text = await readFile(join(folder, 'dist/third-party-licences.txt'), 'utf8')
  for (const name of ['fastify', 'pg', 'liquidjs', 'nodemailer'])
    assert.match(text, new RegExp(`^${name} \\d+\\.`, 'm'))
})

/** The built package does what the sources do: pages, exports, jobs, functions and documents. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { simpleParser } from 'mailparser'
import { openSeededExample } from '../../support/a-seeded-example.ts'
import { callDocket } from '../../support/call-docket.ts'
import { endedAfterwards, main, outcomeOf, waitFor } from '../../support/docket.ts'
import { addressIn, endWell } from '../../support/processes/a-service.ts'
import { until, within } from '../../support/wait.ts'

const folder = join(main, '../../..')

let example: Awaited<ReturnType<typeof openSeededExample>>
let service: ReturnType<typeof spawnBuilt>
let base = ''
let token = ''
before(async () => {
  example = await openSeededExample()
  service = spawnBuilt(['start', '--port', '0'])
  base = addressIn(await waitFor(service.child, /is up at \S+/))
  token = (await callDocket(['token'], example.environment)).out.trim()
})
after(() => endWell(service))

const spawnBuilt = (args: readonly string[]) => {
  const child = endedAfterwards(
    spawn(process.execPath, [join(folder, 'bin/docket.cjs'), ...args], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...example.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  return { child, ended: outcomeOf(child) }
}

const ask = async (path: string, body?: object) => {
  const response = await fetch(`${base}${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  assert.equal(response.status, 200, path)
  return Buffer.from(await response.arrayBuffer())
}

test('a command runs, and loads the functions of the project', async () => {
  const { code, out, err } = await within('it ends', spawnBuilt(['check']).ended)
  assert.equal(code, 0, out + err)
})

test('pages, documents and records in every format are served', async () => {
  for (const path of ['/console/', '/api/docs', '/api/openapi.json', '/api/health/ready'])
    await ask(path)
  for (const format of ['csv', 'xlsx', 'ndjson', 'parquet'])
    assert.ok((await ask(`/purchase_order/export?format=${format}`, {})).length > 10_000, format)
  const document = await ask('/purchase_order/2999/documents/purchase-order')
  assert.equal(document.subarray(0, 5).toString(), '%PDF-')
})

test('a decision is told by e-mail, with a PDF, the answer of a function and an export', async () => {
  for (const action of ['submit', 'approve'])
    await ask('/purchase_order/2999/proceedToStep', { action })
  const mail = join(example.directory, '.docket/mail')
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

test('the notices of the packages that are part of it are in it', async () => {
  const text = await readFile(join(folder, 'dist/third-party-licences.txt'), 'utf8')
  for (const name of ['fastify', 'pg', 'liquidjs', 'nodemailer'])
    assert.match(text, new RegExp(`^${name} \\d+\\.`, 'm'))
})

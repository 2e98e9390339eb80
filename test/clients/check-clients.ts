/**
 * Clients that three generators make of the OpenAPI document compile, and none of their types had to be
 * renamed: `npm run check:clients`, which installs the generators first. They need their own version of
 * TypeScript, and are not installed with the project.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { outcomeOf, spawnDocket, tokenOf, waitFor } from '../support/docket.ts'
import { writeProject } from '../support/service.ts'

const modules = fileURLToPath(new URL('node_modules', import.meta.url))

// Entities whose names equal schemas of the service, bodies of each other, and words of JavaScript.
const keys = [
  ...['job', 'delivery', 'criteria', 'where', 'problem', 'me', 'rights', 'stored_notification'],
  ...[
    'order',
    'order_create',
    'task_under_record',
    'history_entry',
    'class',
    'object',
    'preferences',
  ],
]
const fields = [
  { key: 'title', type: 'string', required: true },
  { key: 'status', type: 'enum', values: ['new', 'done'], required: true, default: 'new' },
  { key: 'follows', type: 'manyToOne', entity: 'order' },
]

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docket-clients-'))
  await symlink(modules, join(folder, 'node_modules'))
  await writeFile(join(folder, 'openapi.json'), await documentOf())
  await writeFile(
    join(folder, 'orval.config.mjs'),
    `export default { api: { input: 'openapi.json', output: { target: 'orval.ts', client: 'fetch' } } }`,
  )
})
after(() => rm(folder, { recursive: true, force: true }))

/** The document of a running service. */
const documentOf = async (): Promise<string> => {
  const project = await writeProject(
    Object.fromEntries(keys.map((key) => [`entities/${key}.json`, { key, fields }])),
  )
  const child = spawnDocket(['start', '--project', project, '--port', '0'])
  const ended = outcomeOf(child)
  const shown = await waitFor(child, /export TOKEN=\S+/)
  const base = /is up at (\S+)/.exec(shown)?.[1] ?? ''
  const headers = { Authorization: `Bearer ${await tokenOf(project)}` }
  const response = await fetch(`${base}/api/openapi.json`, { headers })
  assert.equal(response.status, 200)
  const text = await response.text()
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  await rm(project, { recursive: true, force: true })
  return text
}

const execute = promisify(execFile)
const run = (file: string, ...words: readonly string[]) =>
  execute(process.execPath, [file, ...words], { cwd: folder, timeout: 120_000 })

const generate = (program: string, ...words: readonly string[]) =>
  run(join(modules, '.bin', program), ...words)

/** By the project's own TypeScript, which takes a tenth of the time. */
const compile = (file: string) =>
  run(
    fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url)),
    ...['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022', '--ignoreConfig'],
    ...['--module', 'esnext', '--moduleResolution', 'bundler'],
    ...['--lib', 'es2022,dom,dom.iterable', file],
  )

describe('a client that compiles is made', { concurrency: true }, () => {
  test('by openapi-typescript', async () => {
    await generate('openapi-typescript', 'openapi.json', '-o', 'openapi-typescript.ts')
    await compile('openapi-typescript.ts')
  })

  test('by @hey-api/openapi-ts', async () => {
    const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch']
    await generate('openapi-ts', '-i', 'openapi.json', '-o', 'hey-api', '-p', ...plugins)
    await compile('hey-api/index.ts')
    const types = await readFile(join(folder, 'hey-api/types.gen.ts'), 'utf8')
    const numbered = [...types.matchAll(/^export type (\w+\d) =/gm)].map(([, name]) => name)
    assert.deepEqual(numbered, [], 'types with the same name, which the generator numbers')
  })

  test('by orval', async () => {
    await generate('orval', '--config', 'orval.config.mjs')
    await compile('orval.ts')
  })
})

/** The program that npm installs: it runs on any Node.js, and starts Docket on the bundled one. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { packageVersion } from '../../../src/package-version.ts'
import { endedAfterwards, outcomeOf, waitFor } from '../../support/docket.ts'
import { copyExample } from '../../support/service.ts'
import { within } from '../../support/wait.ts'

const bin = fileURLToPath(new URL('../../../bin/docket.cjs', import.meta.url))

let folder: string
let old: readonly string[]
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docket-bin-'))
  const file = join(folder, 'old.cjs')
  await writeFile(file, `Object.defineProperty(process.versions, 'node', { value: '18.20.0' })`)
  old = ['--require', file]
})
after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }))

const spawnBin = (args: readonly string[], options: readonly string[] = []) =>
  endedAfterwards(
    spawn(process.execPath, [...options, bin, ...args], {
      env: { PATH: process.env.PATH, HOME: process.env.HOME },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )

test('a new Node.js runs Docket itself, an old one starts the bundled one', async () => {
  for (const options of [[], old]) {
    const outcome = await within('it ends', outcomeOf(spawnBin(['--version'], options)))
    assert.deepEqual(outcome, { code: 0, out: `${packageVersion()}\n`, err: '' })
  }
})

test('the exit code is that of the command', async () => {
  const { code, err } = await within('it ends', outcomeOf(spawnBin(['chekc'], old)))
  assert.equal(code, 2)
  assert.match(err, /did you mean "check"/)
})

test('a signal to it ends the service that it started', async () => {
  const project = await copyExample()
  const child = spawnBin(['start', '--project', project, '--port', '0'], old)
  const ended = outcomeOf(child)
  await waitFor(child, /is up at/)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  await rm(project, { recursive: true, force: true, maxRetries: 10 })
})

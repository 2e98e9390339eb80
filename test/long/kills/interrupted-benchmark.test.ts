/** An interrupted benchmark leaves nothing behind: no PostgreSQL, no service, no folder. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { outcomeOf, waitFor } from '../../support/docket.ts'

const main = fileURLToPath(new URL('../../../bench/main.ts', import.meta.url))

const startBenchmark = async (t: TestContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'docket-test-'))
  const child = spawn(process.execPath, [main, 'records', '--rows', '1000'], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(async () => {
    child.kill('SIGKILL')
    for (const id of await postmasters(folder)) if (isAlive(id)) process.kill(id, 'SIGQUIT')
    await rm(folder, { recursive: true, force: true })
  })
  return { folder, child, ended: outcomeOf(child) }
}

const postmasters = async (folder: string): Promise<number[]> => {
  const files = (await readdir(folder)).map((name) =>
    join(folder, name, '.docket', 'postgres', 'postmaster.pid'),
  )
  const texts = files.filter((file) => existsSync(file)).map((file) => readFile(file, 'utf8'))
  return (await Promise.all(texts)).map((text) => Number(text.split('\n')[0]))
}

const isAlive = (id: number): boolean => {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}

for (const { signal, code } of [
  { signal: 'SIGINT', code: 130 },
  { signal: 'SIGTERM', code: 143 },
] as const)
  test(`${signal} ends the PostgreSQL of a benchmark and removes its folder`, async (t) => {
    const { folder, child, ended } = await startBenchmark(t)
    await waitFor(child, /Filling/)
    const [server = 0] = await postmasters(folder)
    assert.ok(isAlive(server))
    // npm forwards the signals of the terminal too.
    child.kill(signal)
    child.kill(signal)
    assert.equal((await ended).code, code)
    assert.equal(isAlive(server), false)
    assert.deepEqual(await readdir(folder), [])
  })

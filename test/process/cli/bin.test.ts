/** The program that npm installs: it runs on any Node.js, starts Docket on the bundled one, and keeps what it compiled. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { packageVersion } from '../../../src/package-version.ts'
import { callDocket } from '../../support/call-docket.ts'
import { createTestDatabase } from '../../support/database.ts'
import {
  endedAfterwards,
  main,
  outcomeOf,
  passedEnvironment,
  waitFor,
} from '../../support/docket.ts'
import { endWell } from '../../support/processes/a-service.ts'
import { writeProject } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { within } from '../../support/wait.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

let folder: string
let old: readonly string[]
let environment: Readonly<Record<string, string>>
before(async () => {
  folder = temporaryFolder()
  const file = join(folder, 'old.cjs')
  await writeFile(file, `Object.defineProperty(process.versions, 'node', { value: '18.20.0' })`)
  old = ['--require', file]
  const fields = [{ key: 'name', type: 'string' }]
  environment = {
    DATABASE_URL: (await createTestDatabase()).connectionString,
    PROJECT: await writeProject({ 'entities/thing.json': { key: 'thing', fields } }),
  }
  assert.equal((await callDocket(['migrate'], environment)).code, 0)
})

const start = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  endedAfterwards(
    spawn(program, args, {
      env: { ...passedEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )

const spawnBin = (args: readonly string[], options: readonly string[] = []) =>
  start(process.execPath, [...options, join(root, 'bin/docket.cjs'), ...args], environment)

test('a new Node.js runs Docket itself, an old one starts the bundled one, and the exit code is that of the command', async () => {
  for (const options of [[], old]) {
    const outcome = await within('it ends', outcomeOf(spawnBin(['--version'], options)))
    assert.deepEqual(outcome, { code: 0, out: `${packageVersion()}\n`, err: '' })
  }
  const { code, err } = await within('it ends', outcomeOf(spawnBin(['chekc'], old)))
  assert.equal(code, 2)
  assert.match(err, /did you mean "check"/)
})

test('a signal to it ends what it started', async () => {
  const child = spawnBin(['worker'], old)
  const ended = outcomeOf(child)
  await waitFor(child, /run here/)
  await endWell({ child, ended })
})

test('a command keeps the files that it compiled next to the code, and another folder or none if told so', async () => {
  // A copy, so that the folder of the real one stays as it is.
  for (const name of ['src', 'package.json', 'schema'])
    await cp(join(root, name), join(folder, name), { recursive: true })
  // Packages are found in the folder above.
  await mkdir(join(folder, 'node_modules'))
  await symlink(join(root, 'node_modules'), join(folder, 'src/node_modules'))
  const compiled = join(folder, 'node_modules/.cache/docket')
  const run = async (env: NodeJS.ProcessEnv) => {
    const args = [join(folder, 'src/cli/main.ts'), 'init', '--help']
    const { code, err } = await outcomeOf(start(process.execPath, args, env))
    assert.equal(code, 0, err)
  }
  await run({ NODE_COMPILE_CACHE: '' })
  assert.ok(!existsSync(compiled))
  const elsewhere = join(folder, 'elsewhere')
  await run({ NODE_COMPILE_CACHE: elsewhere })
  assert.deepEqual([existsSync(elsewhere), existsSync(compiled)], [true, false])
  await run({ NODE_COMPILE_CACHE: undefined })
  assert.ok(existsSync(compiled))
})

test('the progress of an export is shown on a terminal when it writes a file, and not when rows go into a pipe', async () => {
  const docket = `'${process.execPath}' '${main}' export thing`
  // `script` provides a terminal, as a user has one.
  const onTerminal = async (command: string) =>
    (await outcomeOf(start('script', ['-qefc', command, '/dev/null'], environment))).out
  assert.match(await onTerminal(`${docket} --out '${join(folder, 'things.csv')}'`), /MB\/s/)
  const piped = await onTerminal(`${docket} | head -n 2`)
  assert.match(piped, /^id,name/m)
  assert.doesNotMatch(piped, /MB\/s/)
})

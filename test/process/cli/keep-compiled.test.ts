/** A command keeps the files that it compiled, unless it is told not to. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))

/** A copy of the package, so that the folder of the real one stays as it is. */
const copyPackage = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'docket-compiled-'))
  for (const name of ['src', 'package.json', 'schema'])
    await cp(join(root, name), join(folder, name), { recursive: true })
  // Packages are found in the folder above.
  await mkdir(join(folder, 'node_modules'))
  await symlink(join(root, 'node_modules'), join(folder, 'src/node_modules'))
  return folder
}

test('a command keeps the files that it compiled beside the code, and another folder or none if told so', async () => {
  const folder = await copyPackage()
  const compiled = join(folder, 'node_modules/.cache/docket')
  const showHelp = async (environment: Readonly<Record<string, string>>) => {
    const env = { PATH: process.env.PATH, ...environment }
    const { stdout } = await run(process.execPath, ['src/cli/main.ts', '--help'], {
      cwd: folder,
      env,
    })
    assert.match(stdout, /docket <command>|Usage/i)
  }
  try {
    await showHelp({ NODE_COMPILE_CACHE: '' })
    assert.ok(!existsSync(compiled))
    const elsewhere = join(folder, 'elsewhere')
    await showHelp({ NODE_COMPILE_CACHE: elsewhere })
    assert.deepEqual([existsSync(elsewhere), existsSync(compiled)], [true, false])
    await showHelp({})
    assert.ok(existsSync(compiled))
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  }
})

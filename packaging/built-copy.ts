/** A copy of the package as npm publishes it, for tests and benchmarks. */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))

/** Returns the folder, whose packages and console are those of the clone; the caller removes it. */
export const buildPackage = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'docket-package-'))
  await run(process.execPath, [join(root, 'packaging/build.ts'), join(folder, 'dist')])
  for (const name of ['package.json', 'bin', 'schema'])
    await cp(join(root, name), join(folder, name), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await symlink(join(root, 'dist/console'), join(folder, 'dist/console'))
  return folder
}

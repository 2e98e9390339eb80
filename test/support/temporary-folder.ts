/** A new folder, which is removed when the process of the test ends. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'docket-test-'))
  folders.push(folder)
  return folder
}

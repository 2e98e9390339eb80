/** The log of the embedded server: a long one is rotated at the start, keeping one older file. */
import { existsSync } from 'node:fs'
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'

const maxBytes = 10 * 1024 * 1024

const logOf = (directory: string) => join(directory, 'postgres.log')

/** Opens the log for a server that will start, so that nobody writes to it yet. */
export const openLog = async (directory: string): Promise<FileHandle> => {
  const file = logOf(directory)
  if (existsSync(file) && (await stat(file)).size > maxBytes) await rename(file, `${file}.1`)
  const log = await open(file, 'a', 0o600)
  // A log of an earlier version may be readable for everybody.
  await log.chmod(0o600)
  return log
}

/**
 * The name of the log and its last lines, for a server that does not start; `from` is its length before
 * the start, in bytes.
 */
export const endOfLog = async (
  directory: string,
  from: number,
): Promise<{ file: string; lines: string }> => {
  const file = logOf(directory)
  const text = existsSync(file) ? (await readFile(file)).subarray(from).toString('utf8') : ''
  return { file, lines: text.trim().split('\n').slice(-10).join('\n') }
}

/** Where the embedded server's socket lies: only this user's processes can reach it. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { own, type ServerUser } from './embedded-user.ts'

// sun_path has 108 bytes with the closing NUL; the file's name is /.s.PGSQL.5432.
const longestDirectory = 107 - '/.s.PGSQL.5432'.length

/** A folder of mode 0700; outside the project when the project's path is too long for a socket. */
export const socketDirectory = async (directory: string, user: ServerUser): Promise<string> => {
  const usual = join(directory, 'sockets')
  if (Buffer.byteLength(usual) <= longestDirectory) {
    await mkdir(usual, { recursive: true, mode: 0o700 })
    await own(usual, user)
    return usual
  }
  const note = join(directory, 'socket-directory')
  const noted = existsSync(note) ? (await readFile(note, 'utf8')).trim() : undefined
  if (noted !== undefined && existsSync(noted)) return noted
  const made = await mkdtemp(join(tmpdir(), 'docket-'))
  await own(made, user)
  await writeFile(note, made)
  return made
}

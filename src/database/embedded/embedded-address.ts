/**
 * The address of the embedded server: a socket that only its user can open, or on Windows, where Node has
 * no such sockets, a local port with a password.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { lstat, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Place } from './embedded-postmaster.ts'
import { changeOwner, type ServerUser } from './embedded-user.ts'

export type Address = {
  /** A folder for a socket, or a local host name. */
  readonly host: string
  readonly port: number
  /** Undefined for a socket: its folder restricts access. */
  readonly password?: string
}

/** An address that PostgreSQL's own folder does not give, in a file; a copied project contains another one's. */
type Note = Address & { readonly data: string }

const defaultPort = 5432

// sun_path has 104 bytes on macOS and 108 on Linux, with the closing NUL.
const longestFolder = 103 - `/.s.PGSQL.${defaultPort}`.length

/** The address of a server, which may not be running; undefined when it has none yet. */
export const findAddress = async (place: Place): Promise<Address | undefined> => {
  const { data, overTcp } = place
  if (!overTcp && fits(data)) return { host: data, port: defaultPort }
  const note = await readNote(place)
  return note && (overTcp || (await isPrivate(note.host, data))) ? note : undefined
}

/** The address for a server that will start: the previous one if possible, because other processes use it. */
export const chooseAddress = async (place: Place, user: ServerUser): Promise<Address> => {
  const { directory, data, overTcp } = place
  const address = (await findAddress(place)) as Partial<Note> & Address
  const isOwn = address?.data === undefined || address.data === data
  if (address !== undefined && isOwn && !overTcp) return address
  const chosen = overTcp ? await localPort(address) : await socketInTemporaryFolder(user)
  const note: Note = { ...chosen, data }
  await writeFile(noteOf(directory), JSON.stringify(note), { mode: 0o600 })
  return chosen
}

const noteOf = (directory: string) => join(directory, 'postgres-address.json')

const readNote = async ({ directory }: Place): Promise<Note | undefined> =>
  existsSync(noteOf(directory))
    ? (JSON.parse(await readFile(noteOf(directory), 'utf8')) as Note)
    : undefined

const fits = (folder: string) => Buffer.byteLength(folder) <= longestFolder

/**
 * A folder outside of the project may have been deleted, and created again by another user: it counts only if the
 * owner of the data owns it too, and nobody else may open it.
 */
const isPrivate = async (host: string, data: string): Promise<boolean> => {
  if (!existsSync(host) || !existsSync(data)) return false
  // A symbolic link leads to where its owner wants.
  const [folder, { uid }] = [await lstat(host), await stat(data)]
  return folder.isDirectory() && (folder.mode & 0o777) === 0o700 && folder.uid === uid
}

const socketInTemporaryFolder = async (user: ServerUser): Promise<Address> => {
  const folder = await mkdtemp(join(tmpdir(), 'docket-'))
  await changeOwner(user, folder)
  return { host: folder, port: defaultPort }
}

/** The password lasts as long as the data. */
const localPort = async (previous: Address | undefined): Promise<Address> => ({
  host: '127.0.0.1',
  port: (await freePort(previous?.port ?? 0)) ?? (await freePort(0)) ?? defaultPort,
  password: previous?.password ?? randomBytes(24).toString('hex'),
})

/** The port if no program listens on it, any free port for 0. */
const freePort = async (port: number): Promise<number | undefined> => {
  const server = createServer().listen(port, '127.0.0.1')
  const isFree = await once(server, 'listening').catch(() => undefined)
  if (!isFree) return undefined
  const bound = server.address()
  server.close()
  await once(server, 'close')
  return bound !== null && typeof bound === 'object' ? bound.port : undefined
}

/** The server settings to listen there. */
export const listenSettings = ({ host, port, password }: Address): Record<string, string> => ({
  port: String(port),
  listen_addresses: password === undefined ? '' : host,
  // A list; a quoted folder may contain commas and spaces.
  unix_socket_directories: password === undefined ? `"${host.replaceAll('"', '""')}"` : '',
})

/** The URL for drivers; PG… variables of the environment do not affect it. */
export const urlOf = ({ host, port, password }: Address, database: string): string =>
  password === undefined
    ? `postgresql://docket@localhost:${port}/${database}?host=${encodeURIComponent(host)}&sslmode=disable`
    : `postgresql://docket:${password}@${host}:${port}/${database}?sslmode=disable`

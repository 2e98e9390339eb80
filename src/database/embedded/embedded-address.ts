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
import { changeOwner, type ServerUser } from './embedded-user.ts'

export type Address = {
  /** A folder for a socket, or a local host name. */
  readonly host: string
  readonly port: number
  /** Undefined for a socket: its folder restricts access. */
  readonly password?: string
}

type Place = {
  readonly directory: string
  readonly data: string
  readonly user: ServerUser
  readonly overTcp: boolean
}

const defaultPort = 5432

// sun_path has 104 bytes on macOS and 108 on Linux, with the closing NUL.
const longestFolder = 103 - `/.s.PGSQL.${defaultPort}`.length

const noteOf = (directory: string) => join(directory, 'postgres-address.json')

/** The noted address of a server, which may not be running. */
export const knownAddress = async ({
  directory,
  data,
  overTcp,
}: Omit<Place, 'user'>): Promise<Address | undefined> => {
  if (!overTcp && fits(data)) return { host: data, port: defaultPort }
  if (!existsSync(noteOf(directory))) return undefined
  const noted = JSON.parse(await readFile(noteOf(directory), 'utf8')) as Address
  return overTcp || (await isPrivate(noted.host, data)) ? noted : undefined
}

/** An address for a server that will start. */
export const newAddress = async (place: Place): Promise<Address> => {
  const { directory, data, overTcp } = place
  if (!overTcp && fits(data)) return { host: data, port: defaultPort }
  const known = (await knownAddress(place)) as Note | undefined
  if (!overTcp && known?.data === data) return known
  const address = overTcp ? await loopback(known) : await farSocket(place)
  const note: Note = { ...address, data }
  await writeFile(noteOf(directory), JSON.stringify(note), { mode: 0o600 })
  return address
}

/** An address outside of the data folder; a copied project contains the note of another one. */
type Note = Address & { readonly data: string }

const fits = (folder: string) => Buffer.byteLength(folder) <= longestFolder

/**
 * A folder outside of the project may have been deleted, and created again by someone else: it counts only if the
 * user who has the data has it too, and alone.
 */
const isPrivate = async (host: string, data: string): Promise<boolean> => {
  if (!existsSync(host) || !existsSync(data)) return false
  // A link leads to where its owner wants.
  const [folder, { uid }] = [await lstat(host), await stat(data)]
  return folder.isDirectory() && (folder.mode & 0o777) === 0o700 && folder.uid === uid
}

const farSocket = async ({ user }: Place): Promise<Address> => {
  const folder = await mkdtemp(join(tmpdir(), 'docket-'))
  await changeOwner(user, folder)
  return { host: folder, port: defaultPort }
}

/** The password lasts as long as the data; the port is chosen at each start. */
const loopback = async (known: Address | undefined): Promise<Address> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const bound = server.address()
  server.close()
  await once(server, 'close')
  const port = bound !== null && typeof bound === 'object' ? bound.port : defaultPort
  return { host: '127.0.0.1', port, password: known?.password ?? randomBytes(24).toString('hex') }
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

/**
 * The settings of deploy/high-availability, which the docs show, on loopback: each address of theirs becomes a free port, each
 * path one in a temporary folder, and each password one of the test. Nothing else differs.
 */
import { readFile } from 'node:fs/promises'
import { freePorts } from '../../support/free-ports.ts'

export const hosts = ['db1', 'db2', 'db3'] as const
export type Host = (typeof hosts)[number]

const hostPorts = [2379, 2380, 5432, 8008] as const
type HostPort = (typeof hostPorts)[number]

export type Places = {
  readonly portOf: (host: Host, port: HostPort) => number
  readonly proxy: number
  readonly pooler: number
  readonly password: string
}

/** Finds a free port for each address. */
export const findPlaces = async (): Promise<Places> => {
  const free = await freePorts(hosts.length * hostPorts.length + 2)
  const [proxy = 0, pooler = 0, ...rest] = free
  const portOf = (host: Host, port: HostPort) =>
    rest[hosts.indexOf(host) * hostPorts.length + hostPorts.indexOf(port)] ?? 0
  return { portOf, proxy, pooler, password: 'a-password-of-the-test' }
}

type Replacements = Readonly<Record<string, string>>

/** Reads a file, and replaces everything in it that belongs to another machine. */
export const placeFile = async (
  name: string,
  places: Places,
  host?: Host,
  own: Replacements = {},
): Promise<string> => {
  const file = new URL(`../../../deploy/high-availability/${name}`, import.meta.url)
  const text = (await readFile(file, 'utf8')).replaceAll('<host>', host ?? '')
  const missing = Object.keys(own).filter((part) => !text.includes(part))
  if (missing.length > 0) throw new Error(`${name} does not contain ${missing.join(', ')}`)
  let placed = text
  for (const [part, value] of Object.entries({ ...own, ...addressesOf(places, host) }))
    placed = placed.replaceAll(part, value)
  return placed
}

const addressesOf = ({ portOf, proxy, pooler, password }: Places, own?: Host): Replacements => {
  const checked = hosts.map((host) => [
    `${host}.internal:5432 check port 8008`,
    `127.0.0.1:${portOf(host, 5432)} check port ${portOf(host, 8008)}`,
  ])
  const named = hosts.flatMap((host) =>
    hostPorts.map((port) => [`${host}.internal:${port}`, `127.0.0.1:${portOf(host, port)}`]),
  )
  const listening = hostPorts.map((port) => [
    `0.0.0.0:${port}`,
    own ? `127.0.0.1:${portOf(own, port)}` : '',
  ])
  return {
    ...Object.fromEntries([...checked, ...named, ...listening]),
    '127.0.0.1:5000': `127.0.0.1:${proxy}`,
    'port=5000': `port=${proxy}`,
    '127.0.0.1:6432': `127.0.0.1:${pooler}`,
    'listen_port = 6432': `listen_port = ${pooler}`,
    '…': password,
  }
}

/** The variables of an environment file. */
export const readEnvironment = (text: string): Replacements =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )

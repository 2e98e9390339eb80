/** Ports at which nothing listens, for programs that cannot choose one themselves; others may take them before they are used. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** All are open at the same time, so that no two are the same. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) server.close()
  await Promise.all(servers.map((server) => once(server, 'close')))
  return ports
}

/** A port for a program that cannot choose one itself. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** A port at which nothing listens; others may take it before it is used. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

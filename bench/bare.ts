/** What the peers have in common: Fastify, a pool of the driver, and where they listen. */
import fastify from 'fastify'
import pg from 'pg'

/** Opens both; DATABASE_URL names the database. Prints the address once the routes are mounted. */
export const openBare = (types?: pg.CustomTypesConfig) => {
  const connectionString = process.env.DATABASE_URL
  const pool = new pg.Pool({ connectionString, max: 10, ...(types && { types }) })
  const server = fastify()
  const listen = async (): Promise<void> => {
    const url = await server.listen({ host: '127.0.0.1', port: 0 })
    process.stdout.write(`listens at ${url}\n`)
  }
  return { server, pool, listen }
}

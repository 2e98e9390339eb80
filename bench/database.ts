/** A connection of the benchmark itself. */
import pg from 'pg'

/** Connects, works, and disconnects whatever happens. */
export const withClient = async <T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> => {
  const client = new pg.Client({ connectionString })
  // A server that ends fails the statement that runs; without a listener it would end the process too.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

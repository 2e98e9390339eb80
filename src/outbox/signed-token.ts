/** Signed tokens in addresses: the holder may do what the token says, and nothing else. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { untilAvailable } from '../database/connections/wait-for-database.ts'
import { type Pool, queryValue } from '../database/pool.ts'
import { sql } from '../database/sql.ts'

export type Signer = {
  readonly sign: (claim: object) => string
  /** The content of a token; undefined if it was not signed here. */
  readonly read: (token: string) => Readonly<Record<string, unknown>> | undefined
}

/** Reads the key of the database, and creates it if it does not exist; all processes have the same. */
export const openSigner = async (pool: Pool): Promise<Signer> => {
  const key = await untilAvailable(async () => (await findKey(pool)) ?? (await makeKey(pool)))
  const digest = (text: string) => createHmac('sha256', key).update(text).digest()
  return {
    sign: (claim) => {
      const text = Buffer.from(JSON.stringify(claim)).toString('base64url')
      return `${text}.${digest(text).toString('base64url')}`
    },
    read: (token) => {
      const [text = '', signature = ''] = token.split('.')
      const given = Buffer.from(signature, 'base64url')
      const right = digest(text)
      if (given.length !== right.length || !timingSafeEqual(given, right)) return undefined
      return JSON.parse(Buffer.from(text, 'base64url').toString())
    },
  }
}

const findKey = async (pool: Pool): Promise<Buffer | undefined> => {
  const key = await queryValue<string>(
    pool,
    sql`SELECT encode(key, 'hex') AS key FROM docket.signing_key ORDER BY id LIMIT 1`,
  )
  return key === undefined ? undefined : Buffer.from(key, 'hex')
}

// If several processes start at the same time, all use the first row.
const makeKey = async (pool: Pool): Promise<Buffer> => {
  await pool.query('INSERT INTO docket.signing_key (key) VALUES ($1)', [randomBytes(32)])
  const key = await findKey(pool)
  if (!key) throw new Error('The signing key could not be created.')
  return key
}

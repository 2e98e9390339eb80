/** A fresh database per test file, dropped at its end. */
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { createPool, type Pool } from '../../src/database/pool.ts'

export type TestDatabase = {
  readonly connectionString: string
  readonly pool: Pool
  readonly drop: () => Promise<void>
}

const serverUrl = (): string => {
  const url = process.env['TEST_DATABASE_URL']
  if (!url) throw new Error('TEST_DATABASE_URL is not set; run the tests with npm test.')
  return url
}

const urlOf = (name: string): string => {
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return url.href
}

const onServer = async (text: string) => {
  const client = new pg.Client({ connectionString: urlOf('postgres') })
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

/** An empty database, or a clone of the template of that name. */
export const createTestDatabase = async (template = 'template1'): Promise<TestDatabase> => {
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${template}`)
  const connectionString = urlOf(name)
  const pool = createPool({ connectionString, size: 10, observe: () => undefined })
  return {
    connectionString,
    pool,
    drop: async () => {
      await pool.end()
      await onServer(`DROP DATABASE ${name} WITH (FORCE)`)
    },
  }
}

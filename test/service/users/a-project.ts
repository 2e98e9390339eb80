/** A database with the native tables, the roles of a small project, and a way to add users. */
import type { Pool } from '../../../src/database/pool.ts'
import type { Catalog } from '../../../src/definitions/catalog.ts'
import type { Observation } from '../../../src/observations.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { ensureRoles } from '../../../src/users/roles.ts'
import type { NewUser } from '../../../src/users/user-store.ts'
import { insertPerson } from '../../support/a-person.ts'
import { createTestDatabase } from '../../support/database.ts'
import { load } from '../../support/definitions/a-project.ts'

export type TestProject = {
  readonly catalog: Catalog
  readonly connectionString: string
  readonly pool: Pool
  readonly observations: Observation[]
  readonly observe: (observation: Observation) => void
  /** Creates a user whose subject, e-mail and full name are derived from one name. */
  readonly addUser: (name: string, values?: Partial<NewUser>) => Promise<number>
  readonly close: () => Promise<void>
}

/** The catalog of the native entities with these roles by key. */
export const catalogOf = async (roles: Readonly<Record<string, object>>): Promise<Catalog> => {
  const files = Object.entries(roles).map(([key, role]) => [`roles/${key}.json`, { key, ...role }])
  const { project, findings } = await load({ 'docket.json': {}, ...Object.fromEntries(files) })
  if (!project) throw new Error(findings.map(({ message }) => message).join('\n'))
  return project.catalog
}

/** A project with the roles `buyer` and `clerk` and an empty database. */
export const createTestProject = async (): Promise<TestProject> => {
  const catalog = await catalogOf({
    buyer: { name: 'Buyer', permissions: {} },
    clerk: { permissions: { '*': { read: true } } },
  })
  const { connectionString, pool, drop } = await createTestDatabase()
  const observations: Observation[] = []
  const observe = (observation: Observation) => void observations.push(observation)
  await syncSchema({ pool, catalog, observe: () => undefined })
  await ensureRoles(pool, catalog)
  return {
    catalog,
    connectionString,
    pool,
    observations,
    observe,
    addUser: (name, values) => insertPerson(pool, name, 'buyer', values),
    close: drop,
  }
}

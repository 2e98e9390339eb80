/** A database with the native tables, the roles of a small project, and a way to add users. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pool } from '../../../src/database/pool.ts'
import type { Catalog } from '../../../src/definitions/catalog.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import type { Observation } from '../../../src/observations.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'
import { ensureRoles } from '../../../src/users/roles.ts'
import { insertUser, type NewUser } from '../../../src/users/user-store.ts'
import { createTestDatabase } from '../../support/database.ts'

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
  const directory = await mkdtemp(join(tmpdir(), 'docket-test-'))
  try {
    await mkdir(join(directory, 'roles'))
    for (const [key, role] of Object.entries(roles))
      await writeFile(join(directory, 'roles', `${key}.json`), JSON.stringify({ key, ...role }))
    const { project, findings } = await loadProject(directory)
    if (!project) throw new Error(findings.map(({ message }) => message).join('\n'))
    return project.catalog
  } finally {
    await rm(directory, { recursive: true })
  }
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
    addUser: (name, values) => addUser(pool, name, values),
    close: drop,
  }
}

const addUser = async (
  pool: Pool,
  name: string,
  values: Partial<NewUser> = {},
): Promise<number> => {
  const id = await insertUser(pool, {
    identity_provider_user_id: name,
    first_name: name,
    last_name: 'Example',
    full_name: `${name} Example`,
    email: `${name}@example.com`,
    role_key: 'buyer',
    ...values,
  })
  if (id === undefined) throw new Error(`The user ${name} could not be created.`)
  return id
}

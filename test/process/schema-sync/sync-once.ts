/** A process that syncs a database with the native definitions once. */
import { createPool } from '../../../src/database/pool.ts'
import { loadProject } from '../../../src/definitions/load-project.ts'
import { syncSchema } from '../../../src/schema-sync/sync-schema.ts'

const [directory = '', connectionString = ''] = process.argv.slice(2)
const { project } = await loadProject(directory)
if (!project) throw new Error('The project is invalid.')
const pool = createPool({ connectionString, size: 2, observe: () => undefined })
const { applied } = await syncSchema({ pool, catalog: project.catalog, observe: () => undefined })
await pool.end()
process.stdout.write(String(applied.length))

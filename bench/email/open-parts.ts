/** Parts of the service in the process of the benchmark, on the database of the orders. */

import { loadConfig } from '../../src/config/load-config.ts'
import { createPool, type Pool } from '../../src/database/pool.ts'
import { getEntity } from '../../src/definitions/catalog.ts'
import { loadProject, type Project } from '../../src/definitions/load-project.ts'
import { readDocumentData } from '../../src/documents/document-data.ts'
import type { DocumentDeps } from '../../src/documents/render-document.ts'
import { namesIn } from '../../src/documents/templates/template-needs.ts'
import type { Template } from '../../src/documents/typst/engine.ts'
import { createObservationHub } from '../../src/observations.ts'
import { fullAccess } from '../../src/query/access.ts'
import { openRuntime } from '../../src/runtime/open-runtime.ts'
import type { MailPlace } from './mail-place.ts'

export type Deps = {
  readonly pool: Pool
  readonly project: Project
  readonly timeZone: string
  readonly documents: DocumentDeps
  readonly close: () => Promise<void>
}

/** Opens them; no thread and no process is started. */
export const openParts = async ({ project: directory, databaseUrl }: MailPlace): Promise<Deps> => {
  const { project } = await loadProject(directory)
  if (!project) throw new Error('The project of the benchmark has a fault; run docket check on it.')
  const observe = () => undefined
  const pool = createPool({ connectionString: databaseUrl, size: 4, observe })
  const config = loadConfig({ TIME_ZONE: 'UTC' })
  const hub = createObservationHub()
  const runtime = openRuntime({ config, project, connectionString: databaseUrl, hub })
  return {
    pool,
    project,
    timeZone: runtime.timeZone,
    documents: runtime.documentsOn(pool),
    close: async () => {
      await runtime.close()
      await pool.end()
    },
  }
}

type Printed = { readonly template: Template; readonly entityKey: string }

/** The template of a file in the project's folder. */
export const templateOf = async ({ documents }: Deps, main: string): Promise<Template> => {
  const { files } = await documents.templates.read()
  return { main, files }
}

/** What a template reads of a record, as an administrator's request reads it. */
export const dataOf = async (
  { documents, project }: Deps,
  { template, entityKey }: Printed,
  id: number,
): Promise<string> => {
  const { json } = await readDocumentData(documents, {
    entity: getEntity(project.catalog, entityKey),
    id,
    actorId: 1,
    isActorReader: true,
    access: fullAccess,
    scope: 'all',
    names: namesIn(template),
    generatedAt: new Date(),
  })
  return json
}

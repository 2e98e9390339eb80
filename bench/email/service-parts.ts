/** Parts of the service in the process of the benchmark, on the same database. */
import { loadConfig } from '../../src/config/load-config.ts'
import { getEntity } from '../../src/definitions/catalog.ts'
import { loadProject } from '../../src/definitions/load-project.ts'
import { findDocument } from '../../src/documents/printable-document.ts'
import { type DocumentDeps, makeDocument } from '../../src/documents/render-document.ts'
import type { Template } from '../../src/documents/typst/engine.ts'
import { createObservationHub } from '../../src/observations.ts'
import { openRuntime } from '../../src/runtime/open-runtime.ts'
import type { Measured } from './measured.ts'

/** What documents are rendered with; starts no process. */
export const openDocuments = async (measured: Measured): Promise<DocumentDeps> => {
  const { project } = await loadProject(measured.project)
  if (!project) throw new Error('The project of the benchmark has errors; run docket check on it.')
  const config = loadConfig({})
  const hub = createObservationHub()
  const connectionString = measured.databaseUrl
  return openRuntime({ config, project, connectionString, hub }).documentsOn(measured.pool)
}

/** The template and the data that a document of a record is rendered from. */
export const readInput = async (
  documents: DocumentDeps,
  code: string,
  id: number,
): Promise<{ readonly template: Template; readonly json: string }> => {
  const document = await findDocument(documents.pool, code)
  if (!document) throw new Error(`There is no document ${code}.`)
  const entity = getEntity(documents.catalog, document.entity_key)
  const given = Promise.withResolvers<{ template: Template; json: string }>()
  const engine: DocumentDeps['engine'] = {
    render: async (template, { json }) => {
      given.resolve({ template, json })
      return { diagnostics: [] }
    },
    close: async () => undefined,
  }
  await makeDocument({ ...documents, engine }, { entity, id, actorId: 1 }, document)
  return given.promise
}

/**
 * What the service and the worker share: opened once per thread, the engine of documents and the
 * connection that listens once per process.
 */
import { createPermissions, type Permissions } from '../auth/permissions.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { openBlobStore } from '../blobs/open-blob-store.ts'
import type { Config } from '../config/load-config.ts'
import { documentLimitsOf } from '../config/process-limits.ts'
import { createListener, type Listener } from '../database/listener.ts'
import type { Pool } from '../database/pool.ts'
import type { Project } from '../definitions/load-project.ts'
import type { DocumentDeps } from '../documents/render-document.ts'
import { openTemplateFolder } from '../documents/template-folder.ts'
import type { PdfEngine } from '../documents/typst/engine.ts'
import { createTypstEngine } from '../documents/typst/typst-engine.ts'
import type { ObservationHub, Observe } from '../observations.ts'
import { timeZoneOf } from './open-database.ts'

type Options = {
  readonly config: Config
  readonly project: Project
  readonly connectionString: string
  readonly hub: ObservationHub
  /** The engine of another thread; without it the runtime opens its own. */
  readonly engine?: PdfEngine
  /** The listener of another thread; without it the runtime opens its own. */
  readonly listener?: Listener
}

export type Runtime = Required<Options> & {
  readonly observe: Observe
  readonly timeZone: string
  readonly permissions: Permissions
  /** Where the bytes of files are. */
  readonly blobs: BlobStore
  /** Renders documents with the data that the pool reads. */
  readonly documentsOn: (pool: Pool) => DocumentDeps
  /** Call it after everything that uses the runtime was closed. */
  readonly close: () => Promise<void>
}

/** Starts no process, and opens no connection: what needs the listener starts it. */
export const openRuntime = (options: Options): Runtime => {
  const { config, project, hub, connectionString } = options
  const { catalog, directory, settings } = project
  const { observe } = hub
  const timeZone = timeZoneOf(project, config)
  const engine = options.engine ?? createTypstEngine({ timeZone, ...documentLimitsOf(config) })
  const listener =
    options.listener ?? createListener({ connectionString, applicationName: 'docket listener' })
  const templates = openTemplateFolder(directory)
  const locale = settings.locale ?? 'en'
  const blobs = openBlobStore(config)
  return {
    ...options,
    observe,
    timeZone,
    engine,
    listener,
    permissions: createPermissions(catalog, timeZone),
    blobs,
    documentsOn: (pool) => ({ pool, catalog, timeZone, observe, engine, templates, locale, blobs }),
    close: async () => {
      await Promise.all([engine.close(), listener.close()])
    },
  }
}

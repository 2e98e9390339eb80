/** Opens what printable documents need: the templates of a project, and an engine. */
import type { Project } from '../definitions/load-project.ts'
import type { Observe } from '../observations.ts'
import type { DataDeps } from './document-data.ts'
import type { DocumentDeps } from './render-document.ts'
import { openTemplateFolder } from './templates/template-folder.ts'
import { createTypstEngine } from './typst/typst-engine.ts'

type Options = Omit<DataDeps, 'catalog'> & {
  readonly project: Project
  readonly observe: Observe
}

export type Documents = DocumentDeps & { readonly close: () => Promise<void> }

/** Nothing runs before the first document. */
export const openDocuments = ({ project, pool, timeZone, observe }: Options): Documents => {
  const engine = createTypstEngine({ timeZone })
  return {
    pool,
    catalog: project.catalog,
    timeZone,
    observe,
    engine,
    templates: openTemplateFolder(project.directory),
    locale: project.settings.locale ?? 'en',
    close: () => engine.close(),
  }
}

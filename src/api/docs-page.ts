/** Placeholder until the API page is written. */
import type { Catalog } from '../definitions/catalog.ts'
import type { Routes } from '../http/server.ts'

export const docsRoutes =
  (_parts: { catalog: Catalog; basePath: string; projectName: string }): Routes =>
  () => undefined

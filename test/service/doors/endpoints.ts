/** All endpoints of the service, from their declarations: what is mounted, and what each one says about itself. */
import fastify from 'fastify'
import { type ApiDeps, sections } from '../../../src/api/sections.ts'
import type { Catalog } from '../../../src/definitions/catalog.ts'
import type { Operation } from '../../../src/http/openapi/operation.ts'
import type { Server } from '../../../src/http/server.ts'

export type DeclaredEndpoint = {
  /** Its method and path, such as `GET /{entityKey}/{entityId}`. */
  readonly door: string
  readonly method: string
  readonly path: string
  /** What it says of itself for claims; undefined for a page or a file. */
  readonly operation: Operation | undefined
}

/** `/api/jobs/:id(^\\d+$)` of the router is `/api/jobs/{id}` of a declaration. */
const declaredPath = (url: string): string => url.replaceAll(/:(\w+)(\([^)]*\))?/g, '{$1}')

/** Mounting takes only what decides whether a path is there at all: here every path is. */
const mountingDeps = { issuerSignIn: {}, metricsFor: 'administrators' } as unknown as ApiDeps

/** Every endpoint, in the order of the sections. */
export const declaredEndpoints = async (catalog: Catalog): Promise<readonly DeclaredEndpoint[]> => {
  const all: DeclaredEndpoint[] = []
  for (const endpoint of sections.flatMap(({ endpoints }) => endpoints)) {
    const operations = endpoint.describe(catalog)
    const operation = operations.find(({ tag }) => tag === 'claim') ?? operations[0]
    const server = fastify({ exposeHeadRoutes: false })
    server.addHook('onRoute', ({ method, url }) => {
      const path = declaredPath(url)
      for (const one of [method].flat())
        all.push({ method: one, path, door: `${one} ${path}`, operation })
    })
    endpoint.mount(server as unknown as Server, mountingDeps)
    await server.ready()
  }
  return all
}

/** The API page: the OpenAPI document, and Swagger UI from this service alone, without a CDN. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Permissions } from '../auth/permissions.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { chooseEncoding } from '../export/send-export.ts'
import type { Encoding } from '../export/threads/encodings.ts'
import { callerOf, openPath } from '../http/caller-of.ts'
import type { DescribedFeature } from '../http/described-operation.ts'
import { hasAlready } from '../http/preconditions.ts'
import type { Routes } from '../http/server.ts'
import { docsScript } from './docs-script.ts'
import { buildOpenApi } from './openapi/build-openapi.ts'
import { visibleCatalog } from './visible-catalog.ts'

type DocsDeps = {
  readonly catalog: Catalog
  readonly basePath: string
  readonly projectName: string
  /** PUBLIC_URL, if it is set. */
  readonly publicUrl?: string | undefined
  /** Every feature that describes its paths; without it records, export and the service itself. */
  readonly features?: readonly DescribedFeature[]
  /** What the role of whoever asks may know. The page, which holds nothing of the document, is open always. */
  readonly permissions: Permissions
}

/** Mounts /api/openapi.json, /api/docs and the files of the page. */
export const docsRoutes =
  (deps: DocsDeps): Routes =>
  (server) => {
    const documentFor = createDocuments(deps)
    const page = createAsset('text/html; charset=utf-8', pageHtml(deps))
    const start = createAsset('text/javascript; charset=utf-8', docsScript)
    server.get('/api/openapi.json', (request, reply) =>
      sendAsset(documentFor(callerOf(request).roleKey), request, reply),
    )
    server.get('/api/docs', openPath, (request, reply) =>
      sendAsset(page, request, reply.header('Content-Security-Policy', pagePolicy)),
    )
    server.get('/api/docs/start.js', openPath, (request, reply) => sendAsset(start, request, reply))
    for (const [name, type] of Object.entries(swaggerFiles)) {
      let asset: Promise<Asset> | undefined
      server.get(`/api/docs/${name}`, openPath, async (request, reply) => {
        asset ??= readFile(new URL(name, swaggerFolder)).then((body) => createAsset(type, body))
        return sendAsset(await asset, request, reply)
      })
    }
  }

/** The document of each role, printed when its first caller asks. */
const createDocuments = (deps: DocsDeps): ((roleKey: string) => Asset) => {
  const printed = new Map<string, Asset>()
  return (roleKey) => {
    const { roles } = deps.catalog
    // A role without a file has no rights, whatever it is called.
    const role = roleKey === administratorRole || roles.has(roleKey) ? roleKey : ''
    const known = printed.get(role)
    if (known) return known
    const catalog = visibleCatalog(deps.catalog, deps.permissions, role)
    const text = JSON.stringify(buildOpenApi({ ...deps, catalog }))
    const document = createAsset('application/json; charset=utf-8', text)
    printed.set(role, document)
    return document
  }
}

const swaggerFolder = new URL('static/', import.meta.resolve('@fastify/swagger-ui/package.json'))
const swaggerFiles = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const

/**
 * What a page of this service may load and do: nothing that is not its own. Swagger UI sets styles on its
 * elements, and draws its icons from data: URLs.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const pageHtml = ({ basePath, projectName }: DocsDeps): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(projectName)} API</title>
<link rel="icon" href="${basePath}/api/docs/favicon-32x32.png">
<link rel="stylesheet" href="${basePath}/api/docs/swagger-ui.css">
</head>
<body>
<form id="ask" class="swagger-ui" hidden>
<div class="wrapper">
<h2>${escapeHtml(projectName)} API</h2>
<p>This service shows its API to people and machines that it knows. Paste a token of your identity provider, or an API key.</p>
<p><label>Token <input id="token" type="password" autocomplete="off" required></label> <button class="btn authorize">Show the API</button></p>
<p id="refusal" role="alert"></p>
</div>
</form>
<div id="api" data-url="${basePath}/api/openapi.json"></div>
<noscript>This page needs JavaScript; the document itself is ${basePath}/api/openapi.json.</noscript>
<script src="${basePath}/api/docs/swagger-ui-bundle.js"></script>
<script src="${basePath}/api/docs/start.js"></script>
</body>
</html>
`

/** Text as it stands in a page. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

type Asset = {
  readonly type: string
  readonly body: Buffer
  readonly etag: string
  /** By the name of the encoding. Kept, for whoever is not known could buy the work again and again. */
  readonly compressed: Map<string, Promise<Buffer>>
}

const createAsset = (type: string, content: string | Buffer): Asset => {
  const body = Buffer.from(content)
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return { type, body, etag: `"${digest}"`, compressed: new Map() }
}

const compress = ({ body, compressed }: Asset, { name, compress }: Encoding): Promise<Buffer> => {
  const known = compressed.get(name)
  if (known !== undefined) return known
  const stream = compress()
  const made = buffer(stream.end(body))
  compressed.set(name, made)
  return made
}

/** Compressed as asked for; the tag is weak, because it stands for every encoding. */
const sendAsset = async (asset: Asset, request: FastifyRequest, reply: FastifyReply) => {
  const { type, body, etag } = asset
  reply.headers({
    ETag: `W/${etag}`,
    'Cache-Control': 'no-cache',
    Vary: 'Accept-Encoding, Authorization',
  })
  if (hasAlready(request.headers['if-none-match'], etag)) return reply.status(304).send()
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  reply.type(type)
  if (!encoding) return reply.send(body)
  const compressed = await compress(asset, encoding)
  return reply.header('Content-Encoding', encoding.name).send(compressed)
}

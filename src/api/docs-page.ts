/** The API page: the OpenAPI document, and Swagger UI served by this service, without a CDN. */
import { readFile } from 'node:fs/promises'
import { partsOfRole, rolesOf } from '../auth/caller.ts'
import type { Permissions } from '../auth/permissions.ts'
import { visibleCatalog } from '../auth/visible-catalog.ts'
import { createBoundedCache } from '../bounded-cache.ts'
import type { Catalog } from '../definitions/catalog.ts'
import { administratorRole } from '../definitions/checks/check-role.ts'
import { hasEvery } from '../query/access.ts'
import { type Asset, createAsset } from './asset.ts'
import { buildOpenApi, type DescribedSection } from './openapi/build-openapi.ts'

type DocsOptions = {
  readonly catalog: Catalog
  readonly basePath: string
  readonly projectName: string
  /** PUBLIC_URL, if it is set. */
  readonly publicUrl?: string | undefined
  readonly sections: readonly DescribedSection[]
  /** What the caller's role may know. The page, which contains nothing of the document, is always open. */
  readonly permissions: Permissions
}

export type Docs = {
  /** The OpenAPI document as a role may know it. */
  readonly documentFor: (roleKey: string) => Asset
  readonly page: Asset
  /** A file of the page, by its name. */
  readonly file: (name: DocsFile) => Promise<Asset>
}

/** Everything that the API page is made of. */
export const createDocs = (options: DocsOptions): Docs => {
  const files = new Map<DocsFile, Promise<Asset>>()
  return {
    documentFor: createDocuments(options),
    page: createAsset('text/html; charset=utf-8', pageHtml(options)),
    file: (name) => {
      const asset = files.get(name) ?? loadFile(name)
      files.set(name, asset)
      return asset
    },
  }
}

// Of roles, and of sets of them that users have.
const keptDocuments = 100

/** The document of each role, printed at its first request. */
const createDocuments = (deps: DocsOptions): ((roleKey: string) => Asset) => {
  const printed = createBoundedCache<Asset>(keptDocuments)
  return (roleKey) => {
    const { roles } = deps.catalog
    // A role without a file has no permissions, whatever its key.
    const role = rolesOf({ roleKey })
      .filter((one) => {
        const { key } = partsOfRole(one)
        return key === administratorRole || roles.has(key)
      })
      .join()
    const known = printed.get(role)
    if (known) return known
    const catalog = visibleCatalog(deps.catalog, deps.permissions, role)
    const isPartial = (key: string): boolean => {
      const entity = deps.catalog.entities.get(key)
      const person = { userId: 0, roleKey: role }
      const scope = entity ? deps.permissions.scopeOf(person, 'read', entity) : 'none'
      return scope !== 'none' && !hasEvery(scope)
    }
    const text = JSON.stringify(buildOpenApi({ ...deps, catalog, isPartial }))
    const document = createAsset('application/json; charset=utf-8', text)
    printed.set(role, document)
    return document
  }
}

const swaggerFolder = new URL('static/', import.meta.resolve('@fastify/swagger-ui/package.json'))
const scriptType = 'text/javascript; charset=utf-8'
const fileTypes = {
  'start.js': scriptType,
  'swagger-ui-bundle.js': scriptType,
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
} as const

type DocsFile = keyof typeof fileTypes

/** The names of the files of the page. */
export const docsFiles = Object.keys(fileTypes) as DocsFile[]

const loadFile = async (name: DocsFile): Promise<Asset> =>
  createAsset(
    fileTypes[name],
    name === 'start.js' ? docsScript : await readFile(new URL(name, swaggerFolder)),
  )

/**
 * What a page of this service may load and do: only its own files. Swagger UI sets styles on its elements,
 * and draws its icons from data: URLs.
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

const pageHtml = ({ basePath, projectName }: DocsOptions): string => `<!doctype html>
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
<p>This service shows its API only to known callers. Paste a token of your identity provider, or an API key.</p>
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

/** Text as HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

// The script of the API page: it asks for a token if the document needs one.

/**
 * Swagger UI would load the document before anybody can enter a token, so the page first checks whether it
 * may be read. The token stays in the tab. Without validatorUrl: null the document would be sent to
 * validator.swagger.io.
 */
const docsScript = `const { url } = document.getElementById('api').dataset
const form = document.getElementById('ask')
const field = document.getElementById('token')
const refusal = document.getElementById('refusal')
const kept = 'docket-token'

const authorization = (token) => (token ? { Authorization: 'Bearer ' + token } : {})

/** Why the document cannot be shown; an empty text if no token was entered yet. */
const refusalOf = async (token) => {
  if (/[^\\x21-\\x7e]/.test(token)) return 'A token does not contain such characters.'
  const response = await fetch(url, { headers: authorization(token) })
  if (response.ok) return undefined
  const { detail } = await response.json()
  return response.status === 401 && token === '' ? '' : detail
}

const show = (token) => {
  const page = SwaggerUIBundle({
    url,
    requestInterceptor: (request) => {
      if (request.loadSpec) Object.assign(request.headers, authorization(token))
      return request
    },
    onComplete: () => token && page.preauthorizeApiKey('bearer', token),
    dom_id: '#api',
    validatorUrl: null,
    deepLinking: true,
    persistAuthorization: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
  })
}

const open = async (token) => {
  const wrong = await refusalOf(token).catch(() => 'The service does not answer.')
  form.hidden = wrong === undefined
  refusal.textContent = wrong ?? ''
  if (wrong !== undefined) return field.focus()
  sessionStorage.setItem(kept, token)
  show(token)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  open(field.value.trim().replace(/^Bearer\\s+/i, ''))
})
open(sessionStorage.getItem(kept) ?? '')
`

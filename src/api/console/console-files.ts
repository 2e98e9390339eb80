/** The files of the console as its build left them, in memory: the page, and what the page loads. */
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { escapeHtml } from '../docs-page.ts'

/** A file with its encodings, best first; the last one is the file itself. */
export type ConsoleFile = {
  readonly type: string
  readonly etag: string
  readonly bodies: readonly { readonly encoding: string | undefined; readonly body: Buffer }[]
}

export type ConsoleFiles = {
  /** The page, with the base path and the name of the service written into it, for requests with a session and for those without one. */
  readonly page: { readonly signedIn: ConsoleFile; readonly signedOut: ConsoleFile }
  /** By the name below `/assets/`. */
  readonly assets: ReadonlyMap<string, ConsoleFile>
}

// The same folder from the sources and from what is built of them.
const folder = new URL('../../../dist/console/', import.meta.url)

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
}

/**
 * What every page of the console reads first; the browser asks for it while it still loads the scripts. What has words is
 * asked for once more by `start.js` if the user has chosen another language than that of the browser.
 */
const firstReads = [
  { path: '/console/-/config.json', hasWords: true },
  { path: '/api/me', hasWords: true },
  { path: '/api/entities', hasWords: true },
  { path: '/console/-/settings.json', hasWords: false },
] as const

const encodings = [
  { encoding: 'br', extension: '.br' },
  { encoding: 'zstd', extension: '.zst' },
] as const

/** Reads the files; undefined where the console was not built. */
export const readConsoleFiles = (
  basePath: string,
  projectName: string,
): ConsoleFiles | undefined => {
  const html = readIfThere('index.html')?.toString('utf8')
  if (html === undefined) return undefined
  const page = html
    .replaceAll('"/assets/', `"${basePath}/assets/`)
    .replace('name="docket-base" content=""', `name="docket-base" content="${basePath}"`)
    // Until the page has loaded the name. A function, because a name may contain `$&`, a pattern of replacements.
    .replace(/(?<=<title>)[^<]*/, () => escapeHtml(projectName))
  const preloads = firstReads.map(
    ({ path, hasWords }) =>
      `<link rel="preload" as="fetch" href="${basePath}${path}" crossorigin${hasWords ? ' data-has-words' : ''}>`,
  )
  const names = readdirSync(new URL('assets/', folder)).filter((name) => extname(name) in types)
  return {
    page: {
      signedIn: pageOf(page.replace('</title>', `</title>${preloads.join('')}`)),
      signedOut: pageOf(page.replace('name="docket-session" content=""', signedOutMark)),
    },
    assets: new Map(names.map((name) => [name, readAsset(name)])),
  }
}

// Without a session, all but the first would be refused.
const signedOutMark = 'name="docket-session" content="none"'

const pageOf = (page: string): ConsoleFile => ({
  type: 'text/html; charset=utf-8',
  etag: etagOf(page),
  bodies: [{ encoding: undefined, body: Buffer.from(page) }],
})

const readAsset = (name: string): ConsoleFile => {
  const body = readFileSync(new URL(`assets/${name}`, folder))
  const encoded = encodings.flatMap(({ encoding, extension }) => {
    const found = readIfThere(`assets/${name}${extension}`)
    return found ? [{ encoding, body: found }] : []
  })
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    etag: etagOf(body),
    bodies: [...encoded, { encoding: undefined, body }],
  }
}

const etagOf = (content: string | Buffer): string =>
  `"${hash('sha256', content, 'base64url').slice(0, 22)}"`

const readIfThere = (name: string): Buffer | undefined => {
  try {
    return readFileSync(new URL(name, folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** The two paths of a sign-in at the issuer, which browsers open; they are no part of the API. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IssuerSignIn } from '../../auth/sessions/issuer-sign-in.ts'
import type { SignInFailure } from '../../auth/sessions/open-id.ts'
import { validationError } from '../../errors.ts'
import { openPath } from '../../http/caller-of.ts'
import type { Endpoint } from '../../http/endpoint/endpoint.ts'
import { escapeHtml, pagePolicy } from '../docs-page.ts'

export type IssuerPageDeps = {
  readonly issuerSignIn: IssuerSignIn | undefined
  readonly basePath: string
  readonly projectName: string
}

type Answer = (
  call: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  deps: IssuerPageDeps & { readonly issuerSignIn: IssuerSignIn },
) => unknown

/** Parameters of the issuer are not checked by a declaration: each issuer adds its own. */
const page = (path: string, answer: Answer): Endpoint<IssuerPageDeps> => ({
  mount: (server, { issuerSignIn, ...deps }) => {
    if (!issuerSignIn) return
    server.get(path, options, async (request, reply) => {
      // The address contains the code of the issuer.
      reply.header('Referrer-Policy', 'no-referrer')
      return answer({ request, reply }, { ...deps, issuerSignIn })
    })
  },
  describe: () => [],
})

const options = {
  ...openPath,
  config: { ...openPath.config, takesCredential: true },
  exposeHeadRoute: false,
}

const queryOf = ({ url }: FastifyRequest): URLSearchParams =>
  new URL(url, 'http://localhost').searchParams

export const issuerPages: readonly Endpoint<IssuerPageDeps>[] = [
  page('/console/-/login', async ({ request, reply }, deps) => {
    const failure = queryOf(request).get('error')
    if (failure !== null)
      return reply
        .type('text/html; charset=utf-8')
        .header('Content-Security-Policy', pagePolicy)
        .send(failurePage(failure, deps))
    const to = readTarget(queryOf(request).get('to'), deps.basePath)
    const { address } = await deps.issuerSignIn.begin(request, reply, to)
    return reply.redirect(address, 302)
  }),
  page('/console/-/callback', async ({ request, reply }, { issuerSignIn }) => {
    const { address, failure } = await issuerSignIn.finish(request, reply)
    // Whoever tries codes makes the service ask the issuer each time.
    request.hasWrongCredential = failure === 'failed'
    return reply.redirect(address, 302)
  }),
]

const maxTarget = 2_000

/** The page to open after the sign-in: one of the console, so that a link cannot lead to another site. */
const readTarget = (given: string | null, basePath: string): string => {
  const console = `${basePath}/console`
  if (given === null) return `${console}/`
  const isOwn =
    given.length <= maxTarget &&
    /^[!-~]+$/.test(given) &&
    !given.includes('\\') &&
    (given === console || given.startsWith(`${console}/`) || given.startsWith(`${console}?`)) &&
    !given.startsWith(`${console}/-/`)
  if (isOwn && normalized(given).startsWith(console)) return given
  throw validationError('request.invalid', [
    { path: 'to', message: `must be a page of the console, such as ${console}/` },
  ])
}

/** Without `..`, as a browser opens it. */
const normalized = (path: string): string => new URL(path, 'http://localhost').pathname

const reasons: Readonly<Record<SignInFailure, string>> = {
  expired: 'The sign-in took too long, or was begun in another browser.',
  refused: 'The identity provider did not sign you in.',
  unknown: 'There is no active user for you. Ask an administrator.',
  unavailable: 'The identity provider does not answer.',
  failed: 'The answer of the identity provider is not valid. The log of the service says why.',
}

const reasonOf = (failure: string): string =>
  Object.entries(reasons).find(([code]) => code === failure)?.[1] ?? reasons.failed

const failurePage = (failure: string, { basePath, projectName }: IssuerPageDeps): string => {
  const name = escapeHtml(projectName)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${name}</title>
</head>
<body>
<h1>${name}</h1>
<p role="alert">You are not signed in. ${reasonOf(failure)}</p>
<p><a href="${basePath}/console/-/login">Sign in again</a></p>
</body>
</html>
`
}

/** A service whose users sign in at an issuer. */
import { startProject } from '../../support/a-project.ts'
import type { TestService } from '../../support/service.ts'
import type { Browser } from '../../support/sessions/a-browser.ts'
import { clientId, type SignInIssuer } from '../../support/sessions/an-issuer.ts'

export const signInSettings = (issuer: SignInIssuer) => ({
  AUTH_ISSUER: issuer.url,
  AUTH_AUDIENCE: 'docket',
  AUTH_CLIENT_ID: clientId,
  AUTH_PROVISION_ROLE: 'clerk',
})

/** Starts a service and tells the issuer about it; the issuer knows only the last one. */
export const startSignInService = async (
  issuer: SignInIssuer,
  more: Readonly<Record<string, string>> = {},
): Promise<TestService> => {
  const service = await startProject({ ...signInSettings(issuer), ...more })
  await issuer.allow(callbackOf(service), more.AUTH_CLIENT_SECRET)
  return service
}

const consoleOf = ({ url, config }: TestService): string => `${url}${config.BASE_PATH}/console/`

export const callbackOf = (service: TestService): string => `${consoleOf(service)}-/callback`

export const loginOf = (service: TestService, to?: string): string =>
  `${consoleOf(service)}-/login${to === undefined ? '' : `?to=${encodeURIComponent(to)}`}`

/** Whether it is a page of the console, not a step of signing in. */
export const isPageOf = (service: TestService, address: string): boolean =>
  address.startsWith(consoleOf(service)) && !address.includes('/console/-/')

/** Goes to the issuer, and stops before the browser is back. */
export const comeBack = (browser: Browser, service: TestService) =>
  browser.open(loginOf(service), (address) => !address.includes('/console/-/callback'))

/** Why a sign-in failed, as the console is told. */
export const failureOf = (address: string): string | null =>
  new URL(address).searchParams.get('error')

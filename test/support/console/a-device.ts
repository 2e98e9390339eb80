/** What people sign in with in a browser besides passwords: a device with passkeys, and an authenticator app. */
import type { Page } from 'playwright-core'
import { codeAt, readBase32 } from '../../../src/auth/second-factor/codes.ts'

/** Gives the browser of a page a device with passkeys, whose user confirms everything. */
export const addDevice = async (page: Page): Promise<void> => {
  const client = await page.context().newCDPSession(page)
  await client.send('WebAuthn.enable')
  await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** The key of an app that a page shows. */
export const keyOf = async (page: Page): Promise<string> =>
  ((await page.locator('code.app-key').textContent()) ?? '').replaceAll(' ', '')

/** What an app with this key shows now, or some steps later. */
export const codeOf = (key: string, later: number): string =>
  codeAt(readBase32(key), Math.floor(Date.now() / 30_000) + later)

/** Users who sign in by a code or by a passkey; what comes before their sign-in is done by the time that it is measured. */
import { digestOf } from '../src/auth/callers/api-keys.ts'
import { answerOf } from '../src/auth/codes/asked-codes.ts'
import { cookieName } from '../src/auth/sessions/cookies.ts'
import { type Browser, openBrowser } from '../test/support/sessions/a-browser.ts'
import { type Authenticator, openAuthenticator } from '../test/support/sessions/an-authenticator.ts'
import { until } from '../test/support/wait.ts'
import type { Environment, Service } from './environment.ts'

/** A browser for each user, and what signs the user in there. */
type People<T> = readonly { readonly browser: Browser; readonly own: T }[]

const post = (browser: Browser, path: string, body: object = {}) =>
  browser.send('POST', `/console/-/${path}`, { body })

const code = '12345678'

/** Each has asked for a code. What was sent cannot be read, so it is replaced by a code that is known. */
const askForCodes = async ({ pool }: Environment, service: Service, count: number) => {
  const people: { browser: Browser; own: string }[] = []
  for (let number = 1; number <= count; number++) {
    const browser = openBrowser(service)
    await post(browser, 'code', { name: `coded-${number}@example.com` })
    const cookies = browser.cookies.get(new URL(service.url).host)
    const digest = digestOf(cookies?.get(cookieName(undefined, 'code')) ?? '')
    await until('the code is sent', async () => {
      const { rowCount } = await pool.query(
        'UPDATE docket.one_time_code SET answer = $2 WHERE digest = $1 AND answer IS NOT NULL',
        [digest, answerOf(digest, code)],
      )
      return rowCount === 1
    })
    people.push({ browser, own: code })
  }
  return people
}

/** Each has made a passkey by an invitation. */
const makePasskeys = async ({ pool }: Environment, service: Service, count: number) => {
  const { rows } = await pool.query<{ id: number }>(
    `SELECT id FROM records."user" WHERE username LIKE 'keyed-%' LIMIT ${count}`,
  )
  const people: { browser: Browser; own: Authenticator }[] = []
  for (const { id } of rows) {
    const answer = await fetch(`${service.url}/api/invitations`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ user_id: id }),
    })
    const { link } = (await answer.json()) as { readonly link: string }
    const invitation = new URL(link).hash.replace('#invitation=', '')
    const browser = openBrowser(service)
    const own = openAuthenticator(`http://localhost:${new URL(service.url).port}`)
    const asked = await post(browser, 'invitation/passkey/challenge', { code: invitation })
    const passkey = own.create(asked.json(200))
    await post(browser, 'invitation/passkey', { code: invitation, name: 'Laptop', passkey })
    people.push({ browser: openBrowser(service), own })
  }
  return people
}

const signInOf =
  <T>(people: People<T>, signIn: (browser: Browser, own: T) => Promise<number>) =>
  (number: number): Promise<number> => {
    const person = people[number - 1]
    if (!person) throw new Error(`There is no user ${number}.`)
    return signIn(person.browser, person.own)
  }

/** Signs users in by their codes, by number; the status of the answer. */
export const prepareCodes = async (environment: Environment, service: Service, count: number) =>
  signInOf(
    await askForCodes(environment, service, count),
    async (browser, own) => (await post(browser, 'session/code', { code: own })).status,
  )

/** Signs users in by their passkeys: the challenge, and what the device makes of it. */
export const preparePasskeys = async (environment: Environment, service: Service, count: number) =>
  signInOf(await makePasskeys(environment, service, count), async (browser, own) => {
    const challenge = (await post(browser, 'session/passkey/challenge')).json(200)
    return (await post(browser, 'session/passkey', own.sign(challenge))).status
  })

/** Invitations of the command line, and that of the first administrator. */
import assert from 'node:assert/strict'
import { mkdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { offeredSignInWays } from '../../../src/auth/sign-in-ways.ts'
import { firstInvitation } from '../../../src/cli/first-invitation.ts'
import { loadConfig } from '../../../src/config/load-config.ts'
import { startProject } from '../../support/a-project.ts'
import { callDocket } from '../../support/call-docket.ts'
import type { TestService } from '../../support/service.ts'
import { openBrowser } from '../../support/sessions/a-browser.ts'

let service: TestService
before(async () => {
  service = await startProject()
})
after(() => service.stop())

const public_ = { PUBLIC_URL: 'https://docket.example.com' }

const run = (args: readonly string[], settings: Readonly<Record<string, string>> = {}) =>
  callDocket(['invite', ...args], {
    PROJECT: service.config.PROJECT,
    DATABASE_URL: service.database.connectionString,
    ...settings,
  })

const accept = (link: string) =>
  openBrowser(service).send('POST', '/console/-/invitation/accept', {
    body: { code: link.trim().split('#invitation=')[1], password: 'correct horse battery' },
  })

test('the first administrator is invited while nobody can sign in, and once', async () => {
  const { pool } = service.database
  const base = 'https://docket.example.com'
  const config = loadConfig({ PROJECT: service.config.PROJECT, ...public_ })
  const invite = (isShown: boolean, settings = config) =>
    firstInvitation({
      pool,
      config: settings,
      ways: offeredSignInWays(settings, {}),
      base,
      isShown,
    })
  // Who reads the terminal of this machine has a development link.
  assert.equal(await invite(true, loadConfig({ PROJECT: service.config.PROJECT })), undefined)
  const file = join(service.config.PROJECT, '.docket', 'first-invitation')
  // Where nothing may be written, nobody is invited, and the start goes on.
  await mkdir(file, { recursive: true })
  assert.match((await invite(false)) ?? '', /docket -- invite --email admin@example\.com/)
  await rm(file, { recursive: true })
  const said = await Promise.all([invite(false), invite(false)])
  assert.equal(said.filter((text) => text?.includes(`The link in ${file} lets`)).length, 1)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  assert.match((await invite(true)) ?? '', /docket -- invite --email admin@example\.com/)
  const link = await readFile(file, 'utf8')
  assert.match(
    link,
    /^https:\/\/docket\.example\.com\/console\/-\/login\?invitation#invitation=[\w-]{43}\n$/,
  )
  assert.equal((await accept(link)).json(200).user_id, 1)
  assert.equal(await invite(true), undefined)
  // Who has made a passkey instead can sign in, too.
  await pool.query(
    `WITH former AS (DELETE FROM docket.password WHERE user_id = 1 RETURNING user_id)
     INSERT INTO docket.passkey (user_id, credential_id, public_key, counter, transports, name)
     SELECT user_id, 'YQ', '', 0, '{}', 'Laptop' FROM former`,
  )
  assert.equal(await invite(true), undefined)
})

test('a user who exists is invited by e-mail, and another one is created with a name and a role', async () => {
  const known = await run(['--email', 'Buyer@example.com'])
  assert.equal(known.code, 0, known.err)
  assert.match(known.err, /opens the account of .+, once, until 2/)
  assert.match(
    known.err,
    /^PUBLIC_URL is not set here, so the link leads to http:\/\/127\.0\.0\.1:/m,
  )
  assert.equal((await accept(known.out)).status, 200)
  const lea = ['--email', 'lea@example.com', '--name', 'Lea Horvat', '--role', 'buyer']
  const made = await run(lea, public_)
  assert.equal(made.code, 0, made.err)
  assert.doesNotMatch(made.err, /PUBLIC_URL/)
  const { user_id: id } = (await accept(made.out)).json(200)
  const { full_name, email } = (await service.ask('GET', `/user/${id}`)).json(200)
  assert.deepEqual([full_name, email], ['Lea Horvat', 'lea@example.com'])
})

test('what cannot be done is said, with what to do', async () => {
  const lea = ['--email', 'zoe@example.com']
  const refused: readonly (readonly [readonly string[], Record<string, string>, RegExp])[] = [
    [[], {}, /--email is required/],
    [
      ['--email', 'zoe@example.com', '--name', 'Z'.repeat(201), '--role', 'buyer'],
      {},
      /at most 200/,
    ],
    [['--email', 'zoe'], {}, /must be an e-mail address; it is "zoe"/],
    [lea, {}, /no user with the e-mail zoe@example\.com.* Give --name and --role to create them/],
    [[...lea, '--name', 'Zoe'], {}, /--role is required/],
    [
      [...lea, '--name', 'Zoe', '--role', 'bayer'],
      {},
      /: there is no role "bayer"; did you mean "buyer"\?/,
    ],
    [
      ['--email', 'buyer@example.com', '--name', 'B', '--role', 'buyer'],
      {},
      /Leave --name and --role out/,
    ],
    [lea, { SIGN_IN: 'none' }, /SIGN_IN does not name "password"/],
    [lea, { HOST: '0.0.0.0' }, /without TLS: set PUBLIC_URL/],
    [lea, { PUBLIC_URL: 'http://docket.example.com' }, /without TLS: set PUBLIC_URL/],
    [
      lea,
      { AUTH_ISSUER: 'https://id.example.com', AUTH_AUDIENCE: 'a' },
      /SIGN_IN=password, offers it too/,
    ],
  ]
  for (const [args, settings, message] of refused) {
    const { code, err } = await run(args, settings)
    assert.notEqual(code, 0)
    assert.match(err, message)
  }
})

test('where people have no passwords, no page signs in with one, and nobody is invited', async () => {
  const other = await startProject({ SIGN_IN: 'none' })
  const body = { name: 'buyer@example.com', password: 'correct horse battery' }
  const reply = await openBrowser(other).send('POST', '/console/-/session/password', { body })
  assert.match(reply.json(401).detail, /Nobody signs in by a password here\. SIGN_IN does not name/)
  const invited = await other.ask('POST', '/api/invitations', { body: { user_id: 1 } })
  assert.match(invited.json(403).detail, /Nobody can be invited/)
  const waysOf = async (one: TestService) =>
    (await one.ask('GET', '/console/-/config.json')).json().ways
  assert.deepEqual(await waysOf(other), [])
  assert.deepEqual(await waysOf(service), ['password', 'passkey'])
  await other.stop()
})
